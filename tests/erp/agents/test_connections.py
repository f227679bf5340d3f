"""Connection tests and searches: ordered by people, carried out and reported by agents."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.erp.models import Agent, ConnectionTest
from apps.erp.printing.actors.agents import mark_silent_agents_offline
from tests.erp.agents.conftest import code_of

KEY = "M3-secret"
ADDRESS = "http://192.168.1.20"


@pytest.fixture
def exchange(agent):
    """`exchange(hosts=[...])`: what an agent of this version reports, and its answer."""

    def send(**reports):
        answer = agent.post("/agent/exchange/", {"version": "2", "hosts": [], **reports})
        assert answer.status_code == 200, answer.json()
        return answer.json()

    return send


@pytest.fixture
def driven(erp, printer, paired, exchange) -> dict:
    """A printer whose agent is of this version, and does not have it yet."""
    body = {"driver": "prusalink", "agent": paired[0]["uri"]}
    assert erp.put(printer["uri"], body).status_code == 204
    exchange()
    return printer


@pytest.fixture
def test_uri(driven) -> str:
    return f"{driven['uri']}connection-test/"


@pytest.fixture
def start_uri(driven) -> str:
    return f"{driven['uri']}test-connection/"


def host(number: int = 1, **more) -> dict:
    about = {
        "driver": "octoprint",
        "host": "OctoPrint 1.11.8",
        "name": "Left",
        "discovered_by": "mdns",
    }
    return {**about, "address": f"http://192.168.1.{number}", "ago": 20, **more}


def step(name: str, result: str = "passed", **more) -> dict:
    return {"step": name, "result": result, "text": "", "problem": None, **more}


def test_agent_gets_the_key_until_it_has_taken_it_and_nobody_else(
    erp, test_uri, driven, exchange, start_uri
):
    made = erp.post(start_uri, {"address": ADDRESS, "key": KEY})

    assert made.status_code == 201
    assert KEY not in made.content.decode() + erp.get(test_uri).content.decode()
    assert KEY.encode() not in bytes(ConnectionTest.objects.get().sealed_key)
    for _ in range(2):  # an answer may be lost
        (order,) = exchange()["tests"]
        assert order["key"] == KEY
    assert order == {
        "id": str(ConnectionTest.objects.get().uuid),
        "printer": driven["uri"],
        "driver": "prusalink",
        "address": ADDRESS,
        "key": KEY,
    }

    assert exchange(tests=[{"id": order["id"], "state": "running"}])["tests"] == []

    assert ConnectionTest.objects.get().sealed_key is None


def test_steps_are_shown_as_they_are_reported(erp, test_uri, exchange, start_uri):
    erp.post(start_uri, {"address": ADDRESS, "key": KEY})
    (order,) = exchange()["tests"]
    steps = [step("reach"), step("key", "failed", problem="wrong-key", text="401")]

    exchange(tests=[{"id": order["id"], "state": "running", "steps": steps[:1]}])
    assert erp.get(test_uri).json()["steps"] == steps[:1]
    exchange(tests=[{"id": order["id"], "state": "failed", "steps": steps}])

    test = erp.get(test_uri).json()
    assert (test["state"], test["steps"]) == ("failed", steps)
    assert test["ended"]


def test_late_report_of_an_earlier_test_changes_nothing(erp, test_uri, exchange, start_uri):
    erp.post(start_uri, {"address": ADDRESS, "key": KEY})
    (order,) = exchange()["tests"]
    erp.post(start_uri, {"address": ADDRESS, "key": "other"})

    exchange(tests=[{"id": order["id"], "state": "passed", "host": "PrusaLink 0.8.1"}])
    exchange(tests=[{"id": str(uuid4()), "state": "passed"}])

    assert erp.get(test_uri).json()["state"] == "waiting"


def test_ended_test_is_not_reopened(erp, test_uri, exchange, start_uri):
    erp.post(start_uri, {"address": ADDRESS, "key": KEY})
    (order,) = exchange()["tests"]
    exchange(tests=[{"id": order["id"], "state": "passed", "host": "PrusaLink 0.8.1"}])

    exchange(tests=[{"id": order["id"], "state": "running"}])

    test = erp.get(test_uri).json()
    assert (test["state"], test["host"]) == ("passed", "PrusaLink 0.8.1")


def test_overdue_test_fails_and_its_key_is_deleted(erp, test_uri, exchange, start_uri):
    erp.post(start_uri, {"address": ADDRESS, "key": KEY})
    ConnectionTest.objects.update(created=timezone.now() - timedelta(minutes=3))

    assert exchange()["tests"] == []
    mark_silent_agents_offline()

    test = erp.get(test_uri).json()
    assert (test["state"], test["steps"][-1]["problem"]) == ("failed", "agent-silent")
    assert ConnectionTest.objects.get().sealed_key is None


def test_test_needs_an_agent_that_is_there_and_can_do_it(erp, printer, test_uri, paired, start_uri):
    Agent.objects.update(hosts=None)
    outdated = erp.post(start_uri, {"address": ADDRESS})
    Agent.objects.update(seen="2020-01-01T00:00Z")
    offline = erp.post(start_uri, {"address": ADDRESS})
    erp.put(printer["uri"], {"driver": "manual", "agent": None})
    manual = erp.post(start_uri, {"address": ADDRESS})

    assert [code_of(each) for each in (outdated, offline, manual)] == [
        "agent-outdated",
        "agent-offline",
        "no-machine",
    ]
    assert erp.get(test_uri).status_code == 404


def test_connection_is_not_changed_during_a_print(erp, attempt, machine, exchange):
    uri = f"{machine['uri']}test-connection/"
    Agent.objects.update(hosts=[])

    refused = erp.post(uri, {"address": ADDRESS, "key": KEY})

    assert (refused.status_code, code_of(refused)) == (409, "attempt-open")


@pytest.mark.parametrize(
    "address", ["192.168.1.20", "http://maker:secret@10.0.0.1", "http://a b", "ftp://10.0.0.1", ""]
)
def test_address_without_a_host_or_with_credentials_is_rejected(erp, test_uri, address, start_uri):
    assert erp.post(start_uri, {"address": address, "key": KEY}).status_code == 400


def test_address_is_required_before_the_machine_has_one(erp, test_uri, start_uri):
    refused = erp.post(start_uri, {})

    assert (refused.status_code, code_of(refused)) == (400, "missing-parameter")


def test_stranger_tests_nothing(test_uri, paired, client_of, stranger, start_uri):
    hosts = f"{paired[0]['uri']}search/"
    as_stranger = client_of("erp", stranger)

    assert as_stranger.post(start_uri, {"address": ADDRESS}).status_code in (403, 404)
    assert as_stranger.post(hosts, {"addresses": "10.0.0.1"}).status_code in (403, 404)


# ---------------------------------------------------------------- hosts


def test_discovered_hosts_are_listed_with_their_time(erp, paired, exchange):
    uri = f"{paired[0]['uri']}hosts/"
    assert erp.get(uri).json() == {"supported": False, "search": None, "hosts": []}

    exchange(hosts=[host(), host(2, name="")])
    exchange(hosts=None)

    rows = erp.get(uri).json()["hosts"]
    assert [row["address"] for row in rows] == ["http://192.168.1.1", "http://192.168.1.2"]
    assert (rows[0]["name"], rows[1]["name"], rows[0]["host"]) == ("Left", None, "OctoPrint 1.11.8")
    assert rows[0]["seen"] < timezone.now().isoformat()


def test_agent_of_an_earlier_version_keeps_working(erp, paired, see, printer):
    erp.put(printer["uri"], {"driver": "octoprint", "agent": paired[0]["uri"]})

    assert see(printer)["attempts"] == []

    assert not erp.get(f"{paired[0]['uri']}hosts/").json()["supported"]


@pytest.mark.parametrize(
    "rows",
    [
        [host(number) for number in range(51)],
        [host(driver="telnet")],
        [host(address="javascript:alert(1)")],
        [host(host="x" * 61)],
        [host(name="a\x00b")],
        [host(ago=-1)],
        [host(ago="NaN")],
    ],
)
def test_hosts_out_of_bounds_are_rejected(agent, rows):
    assert agent.post("/agent/exchange/", {"hosts": rows}).status_code == 400


def test_search_is_done_once_by_the_agent(erp, paired, exchange):
    uri = f"{paired[0]['uri']}hosts/"
    exchange()

    made = erp.post(uri.replace("hosts", "search"), {"addresses": " 192.168.1.0/24 "})

    assert (made.status_code, made.json()["search"]["state"]) == (201, "waiting")
    search = exchange()["search"]
    assert search["addresses"] == "192.168.1.0/24"
    assert exchange(searches=[{"id": search["id"], "state": "running"}])["search"] is None
    exchange(hosts=[host(discovered_by="search")], searches=[{"id": search["id"], "state": "done"}])
    answer = erp.get(uri).json()
    assert (answer["search"]["state"], len(answer["hosts"])) == ("done", 1)


@pytest.mark.parametrize("addresses", ["8.8.8.8", "10.0.0.0/8", "printer", "10.0.0.1:99999"])
def test_search_outside_private_networks_is_rejected(erp, paired, exchange, addresses):
    exchange()

    refused = erp.post(f"{paired[0]['uri']}search/", {"addresses": addresses})

    assert (refused.status_code, code_of(refused)) == (400, "invalid-addresses")


def test_search_needs_an_agent_that_can_do_it(erp, paired):
    refused = erp.post(f"{paired[0]['uri']}search/", {"addresses": "10.0.0.1"})

    assert code_of(refused) == "agent-offline"
