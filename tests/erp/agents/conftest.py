"""A printer that an agent drives, and what that tells."""

import pytest

from apps.erp.models import Run
from apps.slicing.models import Gcode
from core.models import Blob
from tests.erp.conftest import key_of


@pytest.fixture
def pair(make, erp, client_of):
    """`pair(location)`: an agent there, and a client that has its token."""

    def paired(location: dict, name: str = "Shop") -> tuple[dict, object]:
        agent = make("agent", location=location["uri"], name=name)
        agent["code"] = erp.post(f"{agent['uri']}code/").json()["code"]
        answer = client_of("erp").post("/agent/pair/", {"code": agent["code"]})
        assert answer.status_code == 201
        return agent, client_of("erp", HTTP_AUTHORIZATION=f"Bearer {answer.json()['token']}")

    return paired


@pytest.fixture
def paired(pair, location) -> tuple[dict, object]:
    return pair(location)


@pytest.fixture
def agent(paired):
    return paired[1]


@pytest.fixture
def machine(erp, printer, paired, see) -> dict:
    """A printer that the agent drives, idle, with an empty plate."""
    body = {"driver": "octoprint", "agent": paired[0]["uri"]}
    assert erp.put(printer["uri"], body).status_code == 204
    see(printer)
    assert erp.post(f"{printer['uri']}clear/", {}).status_code == 200
    return erp.get(printer["uri"]).json()


@pytest.fixture
def run(confirm, pieces_of, print_run, person) -> dict:
    """Three pieces, packed already, with gcode."""
    made = print_run(pieces_of(confirm(quantity=3)))
    blob = Blob.objects.create(sha256="ab" * 32, size=1234)
    gcode = Gcode.objects.create(owner=person, status="processed", content=blob)
    Run.objects.filter(pk=key_of(made)).update(gcode_uri=gcode.uri)
    return made


@pytest.fixture
def attempt(make, machine, run) -> dict:
    return make("attempt", run=run["uri"], printer=machine["uri"])


@pytest.fixture
def see(agent):
    """`see(printer, "printing", {name, status})`: an exchange; what it is answered."""

    def exchange(printer: dict, state: str = "idle", *reports: dict, client=agent, **told) -> dict:
        machines = [{"printer": printer["uri"], "state": state, **told}]
        body = {"version": "1", "machines": machines, "reports": list(reports)}
        answer = client.post("/agent/exchange/", body)
        assert answer.status_code == 200, answer.json()
        return answer.json()

    return exchange


def report(attempt: dict, status: str, **more) -> dict:
    return {"name": attempt["name"], "status": status, **more}


def code_of(answer) -> str:
    return answer.json()["errors"][0]["code"]
