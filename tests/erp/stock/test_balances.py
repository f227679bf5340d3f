"""Bought is used and left, to the milligram, though what is done breaks off anywhere.

`LOT_RUNS` says how many runs there are.
"""

import os
from collections.abc import Callable
from random import Random

import pytest
from django.db import connection, transaction
from django.db.models import Sum

from apps.erp import interface
from apps.erp.inventory.services import movements
from apps.erp.models import Agent, Attempt, LineItem, Printer, Run, Stock, StockMovement
from apps.erp.printing.services import agents, attempts, printers
from apps.erp.production.domain import reservations
from apps.erp.production.services import runs
from apps.slicing.models import Gcode
from core.errors import ServiceError
from core.models import Blob
from tests.erp.conftest import key_of

RUNS = int(os.environ.get("LOT_RUNS", "5"))
OF_A_SHOP = min(RUNS, 50)  # in one transaction, whose tables are never cleaned
ROLL = 500_000  # mg


class Killed(Exception):
    """What the process was doing is over, and its transaction with it."""


def killed_at(statement: int) -> Callable:
    """Lets so many statements through, and kills who sends the next."""
    sent = 0

    def wrap(execute, sql, params, many, context):
        nonlocal sent
        sent += 1
        if sent > statement and not sql.startswith(("ROLLBACK", "RELEASE", "SAVEPOINT")):
            raise Killed
        return execute(sql, params, many, context)

    return wrap


class Shop:
    """Two printers with an agent, lots of one material, and a clumsy world around them."""

    def __init__(self, person, printer_rows: list[Printer], agent: Agent, seed: int):
        self.person, self.printers, self.agent = person, printer_rows, agent
        self.random = Random(seed)
        self.kills = 0

    def do(self, what: Callable[[], object]) -> None:
        """Do something until it is done: first it may be killed, and it may be done twice."""
        while self.random.random() < 0.3:
            statement = self.random.randrange(40)
            try:
                with connection.execute_wrapper(killed_at(statement)), transaction.atomic():
                    what()
                break
            except Killed:
                self.kills += 1
        for _ in range(self.random.choice((1, 1, 2))):
            try:
                with transaction.atomic():
                    what()
            except (ServiceError, Run.DoesNotExist):
                pass  # it was done before

    def report(self, attempt: Attempt, status: str, progress: float | None = None) -> None:
        """What the agent tells, as often as it takes."""
        report = {"name": attempt.name, "status": status, "boot": "b", "text": "", "ago": 0.0}
        told = [report | {"progress": progress, "filament": None, "skips": []}]
        self.do(lambda: self.exchange(told))

    def exchange(self, reports: list[dict]) -> None:
        """The agent sees machines that do nothing, and tells what it knows."""
        sight = {"state": "idle", "job": None, "progress": None, "text": None}
        machines = [{"printer": printer.uri, **sight} for printer in self.printers]
        told = [dict(report) for report in reports]
        agents.exchange(agent=self.agent, version="1", session="", machines=machines, reports=told)

    def load(self, printer: Printer, chosen: list[Stock]) -> None:
        """Put these lots into a printer."""
        self.do(lambda: printers.change(actor=self.person, row=printer, loaded=chosen))

    def fresh(self) -> Stock:
        """A lot with enough for any run."""
        full = list(Stock.objects.filter(remaining__gt=ROLL / 2).order_by("pk"))
        if full:
            return self.random.choice(full)
        old = Stock.objects.first()
        lot = Stock.objects.create(bureau=old.bureau, location=old.location, material=old.material)
        movements.create(actor=self.person, stock=lot, kind="receipt", amount=ROLL)
        return lot

    def print(self, run: Run) -> None:
        """Print a run, or delete it; whatever becomes of it."""
        chance = self.random.random
        self.exchange([])  # or it would be taken for silent
        if chance() < 0.1:
            self.do(lambda: runs.delete(row=run))
            return
        printer = self.random.choice(self.printers)
        self.load(printer, [self.fresh()])
        self.do(lambda: attempts.create(actor=self.person, run=run, printer=printer))
        attempt = Attempt.objects.get(run=run)
        self.report(attempt, "sent")
        self.do(lambda: agents.permit(agent=self.agent, name=attempt.name))
        if chance() < 0.1:
            self.report(attempt, "never")
            self.do(lambda: runs.change(actor=self.person, row=run, status="error"))
            self.do(lambda: attempts.clear(actor=self.person, printer=printer))
            return
        self.report(attempt, "printing", 0.0)
        if chance() < 0.4:
            self.report(attempt, "paused", chance() / 2)
            self.load(printer, [self.fresh()])
            self.report(attempt, "printing", 0.5)
        if chance() < 0.1:  # a person takes it away
            self.do(lambda: runs.change(actor=self.person, row=run, status="complete"))
        self.report(attempt, self.random.choice(("done", "stopped", "failed")), 0.5 + chance() / 2)
        self.do(lambda: attempts.clear(actor=self.person, printer=printer))


@pytest.fixture(params=range(7, 7 + RUNS // OF_A_SHOP))
def shop(request, person, make, erp, bureau, location, printer_type):
    made = make("agent", location=location["uri"], name="Shop")
    rows = []
    for name in ("One", "Two"):
        fields = {"location": location["uri"], "printer_type": printer_type["uri"], "name": name}
        printer = make("printer", driver="octoprint", agent=made["uri"], **fields)
        assert erp.post(f"{printer['uri']}clear/", {}).status_code == 200
        rows.append(Printer.objects.get(pk=key_of(printer)))
    material = make("material", bureau=bureau["uri"], name="PLA", density=1.24)
    make("stock", location=location["uri"], material=material["uri"], initial=ROLL / 1000)
    shop = Shop(person, rows, Agent.objects.get(pk=key_of(made)), seed=request.param)
    shop.exchange([])
    return shop


@pytest.fixture
def run_of(confirm, pieces_of, print_run, person):
    """`run_of(33.3)`: a run whose gcode takes so many cm3; its material is set aside."""

    def made(cc: float) -> Run:
        item = confirm(quantity=2)
        material = Stock.objects.values_list("material", flat=True).first()
        LineItem.objects.filter(pk=key_of(item)).update(base_material=material)
        run = Run.objects.get(pk=key_of(print_run(pieces_of(item))))
        figures = {"build_volume_cc": cc, "support_volume_cc": cc / 7}
        blob, _ = Blob.objects.get_or_create(sha256="ab" * 32, defaults={"size": 1})
        gcode = Gcode.objects.create(
            owner=person, status="processed", content=blob, figures=figures
        )
        run.gcode_uri, run.printer = gcode.uri, Printer.objects.first()
        run.any_of_type = True
        run.save(update_fields=["gcode_uri", "printer", "any_of_type"])
        reservations.reserve(run)
        return run

    return made


def test_stock_balance_holds_when_transactions_are_killed_or_repeated(shop, run_of):
    for _ in range(OF_A_SHOP):
        shop.print(run_of(shop.random.uniform(1, 60)))

    assert interface.broken_rules() == []
    assert shop.kills >= OF_A_SHOP
    used = {}
    for attempt in Attempt.objects.exclude(used=None):
        used[attempt.pk] = round(attempt.used["mass"] * 1000)
    booked = StockMovement.objects.filter(kind="use").values_list("attempt")
    assert {key: -sum for key, sum in booked.annotate(sum=Sum("amount"))} == used
    bought = StockMovement.objects.filter(kind="receipt").aggregate(sum=Sum("amount"))["sum"]
    left = Stock.objects.aggregate(sum=Sum("remaining"))["sum"]
    assert bought == sum(used.values()) + left
    assert len(used) >= OF_A_SHOP / 2
