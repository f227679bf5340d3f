"""Print queue on the page of a location: the number of statements."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.console.views.printers.farm import A_QUEUE
from apps.erp.models import Place, Printer, Run
from core.keys import uuid7
from tests.console.test_printers import clear, pack, printer, run  # noqa: F401  fixtures
from tests.console.visitor import text_of

# ruff: noqa: F811  fixtures


def test_print_queue_of_a_location_takes_as_many_statements_for_100_pieces_as_for_10(
    ada, clear, run
):
    ada.send(run, action="queue")
    build = Run.objects.get()
    piece, location = build.places.first().piece, Printer.objects.get().location_id

    def statements(total: int) -> int:
        """Of the page once so many builds wait, all but the first of one piece."""
        for number in range(Run.objects.count(), total):
            piece.pk, piece.number, piece.place = uuid7(), 10 + number, None
            piece.save(force_insert=True)
            build.pk = uuid7()
            build.save(force_insert=True)
            Place.objects.create(run=build, piece=piece, step=piece.step, position=0)
        with CaptureQueriesContext(connection) as context:
            page = ada.get(f"/location/{location}/")
        assert text_of(page).count("Printer available") == min(total, A_QUEUE)
        return len(context)

    statements(1)
    of_ten = statements(10)

    assert statements(100) == of_ten
