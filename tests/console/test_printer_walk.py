"""Random walks over the buttons of a printer's page, beside a simulated machine and its agent.

Whatever is pressed, a piece is complete only if the machine finished its print, or a person
reported the outcome where no agent saw the machine.
"""

import random
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.actors import mark_silent_agents_offline
from apps.erp.models import Agent, Attempt, Bureau, LineItem, Piece, Printer, Run, Workflow
from apps.erp.production.services.runs import create_run
from apps.slicing.models import Gcode
from core.models import Blob
from tests.console.visitor import set_up

AT_WORK = ("printing", "paused")


class Machine:
    """A printer and its host program, which prints one file at a time."""

    def __init__(self, chance: random.Random):
        self.chance = chance
        self.up = True
        self.state, self.job, self.progress = "idle", None, None
        self.finished: set[str] = set()

    def print(self, job: str) -> None:
        self.state, self.job, self.progress = "printing", job, 0.0

    def advance(self) -> None:
        """Print a part of the job, or lose the job with the host program."""
        if not self.up:
            self.up = self.chance.random() < 0.5
        elif self.chance.random() < 0.05:
            self.up = False
            self.state, self.job, self.progress = "idle", None, None
        elif self.state == "printing":
            self.progress = min(1.0, self.progress + self.chance.choice([0.1, 0.3]))
            if self.progress == 1:
                self.state = "done"
                self.finished.add(self.job)

    def follow(self, wanted: str | None) -> None:
        """Do what the agent passes on."""
        if self.state in AT_WORK and wanted in (*AT_WORK, "stopped"):
            self.state = wanted

    def sight(self) -> dict:
        if not self.up:
            return {"state": "offline"}
        return {"state": self.state, "job": self.job, "progress": self.progress}


class SimulatedAgent:
    """Brings attempts to the machine and reports it, with the calls of a real agent."""

    def __init__(self, machine: Machine, printer: str, client):
        self.machine, self.printer, self.client = machine, printer, client
        self.alive = True

    def turn(self) -> None:
        for order in self.exchange():
            self.carry_out(order)

    def exchange(self, *reports: dict) -> list[dict]:
        machines = [{"printer": self.printer, **self.machine.sight()}]
        body = {"version": "1", "machines": machines, "reports": list(reports)}
        answer = self.client.post("/agent/exchange/", body)
        assert answer.status_code == 200, answer.json()
        return answer.json()["attempts"]

    def carry_out(self, order: dict) -> None:
        name, status, machine = order["name"], order["status"], self.machine
        if not machine.up:
            return
        if status == "planned" and machine.state not in AT_WORK:
            self.exchange({"name": name, "status": "sent", "boot": "b"})
        elif status == "sent":
            if self.client.post("/agent/permit/", {"name": name}).status_code == 200:
                machine.print(name)
                self.exchange({"name": name, "status": "printing"})
        elif status in ("armed", *AT_WORK):
            if machine.job != name:
                self.exchange({"name": name, "status": "unclear"})
                return
            machine.follow(order["wanted"])
            if machine.state != status:
                self.exchange({"name": name, "status": machine.state})


@pytest.fixture
def shop(ada, client_of, person):
    """A printer with an agent: its page, the machine and the agent; and runs to print."""

    def make(chance: random.Random) -> tuple[str, Machine, SimulatedAgent]:
        set_up(ada)
        erp, row = client_of("erp", person), Printer.objects.get()
        made = erp.post("/agent/", {"location": row.location.uri, "name": "Shop"})
        uri = made.headers["Location"]
        code = erp.post(f"{uri}code/").json()["code"]
        token = client_of("erp").post("/agent/pair/", {"code": code}).json()["token"]
        machine = Machine(chance)
        client = client_of("erp", HTTP_AUTHORIZATION=f"Bearer {token}")
        agent = SimulatedAgent(machine, row.uri, client)
        assert erp.put(row.uri, {"driver": "octoprint", "agent": uri}).status_code == 204
        agent.exchange()
        return f"/printer/{row.pk}/", machine, agent

    return make


def pack(client, person, number: int) -> None:
    """Add a packed run of two pieces, with gcode."""
    bureau, workflow = Bureau.objects.get(), Workflow.objects.get()
    item = LineItem.objects.create(
        bureau=bureau,
        workflow=workflow,
        name=f"Cube {number}",
        quantity=2,
        no_model_upload=True,
        status="pending",
        creator=person,
    )
    assert client.put(item.uri, {"status": "confirmed"}).status_code == 204
    made = create_run(
        actor=person,
        bureau=bureau,
        name=f"Night {number}",
        operation="printing",
        pieces=list(item.pieces.order_by("number")),
        printer_type=Printer.objects.get().printer_type,
        status=Run.Status.CALCULATED,
    )
    blob, _ = Blob.objects.get_or_create(sha256="ab" * 32, defaults={"size": 1234})
    gcode = Gcode.objects.create(owner=person, status="processed", content=blob)
    Run.objects.filter(pk=made.pk).update(gcode_uri=gcode.uri)


def buttons(page: str) -> list[tuple[str, dict]]:
    """The page's buttons and links with parameters: path or action, and the fields of its form."""
    presses = [
        (path, {}) for path in re.findall(r'href="(/printer/[0-9a-f-]{36}/(?:\?[^"]*)?)"', page)
    ]
    for form in re.findall(r"<form.*?</form>", page, re.DOTALL):
        hidden = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form))
        for action in re.findall(r'name="action" value="([^"]+)"', form):
            presses.append((action, hidden))
    return presses


def walk(ada, client, person, shop, seed: int, steps: int) -> tuple[int, int]:
    """Press random buttons; return how many pieces are complete, and how many presses failed."""
    chance = random.Random(seed)
    path, machine, agent = shop(chance)
    reported: set[str] = set()  # attempts whose outcome a person reported where none was seen
    address, refused = path, 0
    for step in range(steps):
        if not Run.objects.filter(status__in=("calculated", "queued")).exists():
            pack(client, person, step)
        if chance.random() < 0.1:
            agent.alive = not agent.alive
        machine.advance()
        if agent.alive:
            agent.turn()
        elif chance.random() < 0.5:  # longer than it may be silent
            Agent.objects.update(seen=timezone.now() - timedelta(seconds=150))
            mark_silent_agents_offline.fn()
        if chance.random() < 0.4:  # the person is elsewhere
            continue
        page = ada.get(address).content.decode()
        address = path
        action, fields = chance.choice(buttons(page) or [(path, {})])
        if action.startswith("/"):
            address = action
            continue
        row = Attempt.objects.filter(status__in=Attempt.OPEN).first()
        seen = "overrides the machine" not in page and "State unknown" not in page
        answer = ada.send(path, action=action, **fields)
        assert answer.status_code < 500
        refused += answer.status_code == 409
        if row and not seen and action in ("done", "failed", "stopped"):
            reported.add(row.name)
        complete = Piece.objects.filter(status="complete").values("place__run")
        for printed in Attempt.objects.filter(run__in=complete, status="done"):
            assert printed.name in machine.finished | reported, f"step {step}: {action}"
        if action == "clear" and answer.status_code == 303 and agent.alive and machine.up:
            assert machine.state not in AT_WORK, f"step {step}: cleared while it prints"
    return Piece.objects.filter(status="complete").count(), refused


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_random_presses_complete_only_pieces_that_were_printed(ada, client_of, person, shop, seed):
    complete, _ = walk(ada, client_of("erp", person), person, shop, seed, steps=70)

    assert complete


@pytest.mark.slow
@pytest.mark.parametrize("seed", [100])
def test_500_random_presses_complete_only_pieces_that_were_printed(
    ada, client_of, person, shop, seed
):
    complete, _ = walk(ada, client_of("erp", person), person, shop, seed, steps=500)

    assert complete
