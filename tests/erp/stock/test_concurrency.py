"""Many take of the same lots at once: each gets its own, and nobody waits for ever."""

from random import Random

import pytest
from django.db import OperationalError

from apps.erp import interface
from apps.erp.inventory.services import movements
from apps.erp.models import Printer, Run, Stock, StockMovement
from apps.erp.printing.services import attempts, printers
from apps.erp.production.services import runs
from core.errors import ServiceError
from tests.erp.conftest import key_of
from tests.erp.test_confirm_concurrently import in_threads

WORKERS, EACH = 3, 2


@pytest.mark.django_db(transaction=True)
def test_concurrent_prints_with_shared_lots_do_not_deadlock(
    erp, make, person, location, printer_type, lot_of, run_of
):
    shelf = [Stock.objects.get(pk=key_of(lot_of(10_000))) for _ in range(2)]
    fields = {"location": location["uri"], "printer_type": printer_type["uri"]}
    machines = []
    for number in range(WORKERS):
        made = make("printer", driver="manual", name=str(number), **fields)
        erp.post(f"{made['uri']}clear/", {})
        machines.append(Printer.objects.get(pk=key_of(made)))
    waiting = [run_of(2)["uri"] for _ in range(WORKERS * EACH)]
    Run.objects.update(any_of_type=True)
    faults: list[str] = []

    def work(number: int) -> None:
        random, machine = Random(number), machines[number]
        for uri in waiting[number::WORKERS]:
            run = Run.objects.get(pk=key_of({"uri": uri}))
            lots = random.sample(shelf, 2)
            try:
                printers.change(actor=person, row=machine, loaded=lots)
                if uri == waiting[0]:
                    runs.delete(row=run)
                    continue
                attempt = attempts.create(actor=person, run=run, printer=machine)
                attempts.change(actor=person, row=attempt, status="printing")
                movements.create(actor=person, stock=lots[0], kind="use", amount=-1000)
                printers.change(actor=person, row=machine, loaded=lots[:1])
                attempts.change(actor=person, row=attempt, status="done")
                attempts.clear(actor=person, printer=machine)
            except (OperationalError, ServiceError) as error:
                faults.append(repr(error))

    in_threads(work, WORKERS)

    assert faults == []
    assert interface.broken_rules() == []
    printed = Run.objects.filter(status="complete").count()
    used = StockMovement.objects.filter(kind="use", source="model").values_list("amount", flat=True)
    assert printed == len(waiting) - 1
    assert sum(used) == -printed * 2 * 8 * 1250
    assert set(Stock.objects.values_list("reserved", flat=True)) == {0}
