"""Many at once: the pieces are made once, and nobody waits for ever."""

import threading
from collections.abc import Callable
from random import Random

import pytest
from django.db import OperationalError, connection, transaction

from apps.erp.models import LineItem, Piece, PrinterType, Run
from apps.erp.orders.services import line_items
from apps.erp.production.services import runs
from core.errors import ServiceError
from tests.erp.conftest import key_of
from tests.waiting import wait_for

CROWD = 50
WORKERS = 6


def in_threads(work: Callable[[int], None], count: int) -> None:
    """Run `work(0)`, `work(1)` ... at once, each with a connection of its own."""

    def run(number: int) -> None:
        try:
            work(number)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.django_db(transaction=True)
def test_concurrent_confirmations_create_the_pieces_once(client_of, bureau, person):
    item = LineItem.objects.create(
        bureau_id=key_of(bureau),
        quantity=100,
        no_model_upload=True,
        status="pending",
        creator=person,
    )
    together = threading.Barrier(CROWD)
    answers = []

    def confirm(_: int) -> None:
        client = client_of("erp", person)
        together.wait()
        answers.append(client.put(item.uri, {"status": "confirmed"}).status_code)

    in_threads(confirm, CROWD)

    numbers = Piece.objects.filter(line_item=item).values_list("number", flat=True)
    assert sorted(numbers) == list(range(1, 101))
    assert answers == [204] * CROWD  # to confirm what is confirmed asks for nothing


@pytest.mark.django_db(transaction=True)
def test_concurrent_runs_across_line_items_do_not_deadlock(
    make, bureau, person, stranger, printer_type, confirm
):
    order = make("order", bureau=bureau["uri"], name="All")
    items = [key_of(confirm(quantity=8, order=order)) for _ in range(3)]
    # Two accounts are told of what one run changes.
    LineItem.objects.filter(pk=items[1]).update(creator=stranger)
    kind = PrinterType.objects.select_related("bureau").get(pk=key_of(printer_type))
    outcomes: list[str] = []

    def work(number: int) -> None:
        random = Random(number)
        for _ in range(6):
            free = list(Piece.objects.filter(status="created"))
            chosen = random.sample(free, min(len(free), 6))
            try:
                columns = {"printer_type": kind, "status": "calculated"}
                run = runs.create_run(
                    actor=person,
                    bureau=kind.bureau,
                    name="Run",
                    operation="printing",
                    pieces=chosen,
                    **columns,
                )
                if random.random() < 0.5:
                    runs.delete(row=run)
                else:
                    for status in ("in-progress", "error"):
                        runs.change(actor=person, row=run, status=status)
                item = LineItem.objects.get(pk=random.choice(items))
                line_items.change(actor=person, row=item, status="cancelled")
            except ServiceError as rejection:
                outcomes.append(rejection.entries()[0]["code"])
            except OperationalError as error:
                outcomes.append(str(error))
            else:
                outcomes.append("done")

    in_threads(work, WORKERS)

    known = {"done", "illegal-transition", "piece-in-run", "piece-not-created"}
    assert set(outcomes) <= known | {"line-item-not-ready"}
    assert len(outcomes) == WORKERS * 6
    states = dict(Run.objects.values_list("pk", "status"))
    assert set(states.values()) <= {"error"}
    assert not Piece.objects.filter(status__in=("queued", "in-progress")).exists()


@pytest.mark.django_db(transaction=True)
def test_concurrent_deletions_of_a_run_succeed_once(client_of, bureau, person):
    run = Run.objects.create(bureau_id=key_of(bureau), name="Night", creator=person)
    answers = []

    def delete(_: int) -> None:
        answers.append(client_of("erp", person).delete(run.uri).status_code)

    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        crowd = threading.Thread(target=in_threads, args=(delete, WORKERS))
        crowd.start()
        wait_for(lambda: _waiting() == WORKERS)
    crowd.join()

    assert sorted(answers) == [204, *[404] * (WORKERS - 1)]


def _waiting() -> int:
    """How many connections to this database wait for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0]
