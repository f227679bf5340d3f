"""Discovered hosts in the console: list, search, adding a printer, test of its connection."""

from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from agent.connection_tasks import ConnectionTasks
from agent.discovery import HostFinder
from agent.platform_client import ConnectionOrder, SearchOrder
from agent.state import StateDir
from apps.erp.models import Agent, Printer
from tests.agent.conftest import HERE, host, prusa  # noqa: F401
from tests.agent.simulated_prusalink import KEY
from tests.console.test_printer_connections import agent, connect, device, here  # noqa: F401
from tests.console.visitor import main_of, text_of
from tests.waiting import wait_for

PATH = "/settings/printers/"


@pytest.fixture
def printer(ada, shop) -> Printer:
    return Printer.objects.get()


@pytest.fixture
def exchange(device):  # noqa: F811
    """An exchange of an agent of this version."""

    def send(**reports) -> dict:
        answer = device.post("/agent/exchange/", {"version": "2", "hosts": [], **reports})
        assert answer.status_code == 200, answer.json()
        return answer.json()

    return send


def discovered(address: str = "http://192.168.1.31", **more) -> dict:
    about = {
        "driver": "prusalink",
        "host": "PrusaLink",
        "name": "MK4 left",
        "discovered_by": "mdns",
    }
    return {**about, "address": address, "ago": 20, **more}


def test_discovered_hosts_are_listed_with_their_last_answer(ada, exchange):
    exchange(hosts=[discovered(), discovered("http://192.168.1.32", name="<b>", ago=300)])

    page = text_of(ada.get(PATH))

    assert "MK4 left PrusaLink http://192.168.1.31 Hall 20 s ago" in page
    assert "&lt;b&gt; PrusaLink http://192.168.1.32 Hall 5 minutes ago" in page


def test_host_of_a_connected_printer_leads_to_it(ada, printer, exchange):
    address = "http://192.168.1.31"
    machine = {"printer": printer.uri, "state": "idle", "address": address, "host": "PrusaLink"}
    exchange(hosts=[discovered(address)], machines=[machine])

    page = ada.get(PATH).content.decode()

    assert "/settings/printers/add/" not in page


def test_agent_of_an_earlier_version_is_named(ada, device):  # noqa: F811
    device.post("/agent/exchange/", {"version": "1"})

    assert "discovers no hosts. Update the program" in main_of(ada.get(PATH))


def test_search_is_shown_until_it_is_complete(ada, exchange):
    exchange()
    key = urlsplit(Agent.objects.get().uri).path.split("/")[2]

    sent = ada.send(f"{PATH}search/", agent=key, addresses="192.168.1.0/24")

    assert sent.status_code == 303
    page = ada.get(PATH)
    assert "searching 192.168.1.0/24" in main_of(page)
    assert "data-busy" in page.content.decode()
    search = exchange()["search"]
    exchange(hosts=[discovered()], searches=[{"id": search["id"], "state": "done"}])
    page = ada.get(PATH)
    assert "Search of 192.168.1.0/24 is complete." in main_of(page)
    assert "data-busy" not in page.content.decode()


def test_search_outside_private_networks_is_refused_with_a_sentence(ada, exchange):
    exchange()
    key = urlsplit(Agent.objects.get().uri).path.split("/")[2]

    sent = ada.send(f"{PATH}search/", agent=key, addresses="8.8.8.8")

    assert sent.status_code == 400
    assert "8.8.8.8 is not in a private network" in text_of(sent)


def test_host_is_added_as_a_new_printer_and_asks_for_its_key(ada, printer, exchange):
    exchange(hosts=[discovered()])
    place = ada.get(PATH).content.decode().partition('href="/settings/printers/add/')[2]
    address = "/settings/printers/add/" + place.partition('"')[0].replace("&amp;", "&")
    assert "MK4 left" in ada.get(address).content.decode()

    kind = f"new {printer.printer_type.uri}"
    form = {"printer": kind, "name": "MK4 left", "key": str(uuid4())}
    sent = ada.send(address, **form)
    assert ada.send(address, **form)["Location"] == sent["Location"]

    made = Printer.objects.get(name="MK4 left")
    assert sent["Location"].startswith(f"/printer/{made.pk}/connection/?agent=")
    page = ada.get(sent["Location"]).content.decode()
    assert 'value="http://192.168.1.31"' in page
    assert 'type="password"' in page


def test_host_is_added_to_a_printer_whose_agent_was_chosen_before(ada, printer, here, exchange):  # noqa: F811
    exchange(hosts=[discovered()])
    place = ada.get(PATH).content.decode().partition('href="/settings/printers/add/')[2]
    address = "/settings/printers/add/" + place.partition('"')[0].replace("&amp;", "&")

    sent = ada.send(address, printer=printer.uri, name="", key=str(uuid4()))

    assert sent.status_code == 303, text_of(sent)
    assert sent["Location"].startswith(f"{here}?agent=")


def test_key_is_tested_by_the_agent_and_the_printer_is_connected(
    ada,
    printer,
    here,  # noqa: F811
    agent,  # noqa: F811
    exchange,
    prusa,  # noqa: F811
    tmp_path,
):
    exchange()
    folder, attached = StateDir(tmp_path / "agent"), []
    folder.change(networks=["127.0.0.0/8"])
    tasks = ConnectionTasks(folder, HostFinder(HERE), attached.append, lambda: None)
    address = prusa.host.address

    sent = connect(ada, here, agent=agent.uri, address=address, host_key=KEY)

    assert sent.status_code == 303
    page = ada.get(sent["Location"])
    assert "Waiting for the agent" in main_of(page)
    assert KEY not in page.content.decode()
    answer = exchange()
    tasks.take([ConnectionOrder(**order) for order in answer["tests"]], None)
    wait_for(lambda: attached)
    wait_for(lambda: tasks.report()["tests"][0]["state"] == "passed")
    exchange(**tasks.report())
    page = main_of(ada.get(here))
    assert "Test passed" in page
    assert "Upload a small file and compare it : passed" in page
    assert [machine.key for machine in folder.machines] == [KEY]
    again = ada.send(here, test="again")
    assert again.status_code == 303, text_of(again)


@pytest.mark.parametrize(
    ("problem", "advice"),
    [
        ("wrong-key", "The host does not accept the key. Copy it again."),
        ("not-reachable", "The host does not answer."),
        ("other-kind", "Another kind of host answers"),
        ("outdated", "The program is too old."),
    ],
)
def test_failed_step_says_what_to_do(ada, here, agent, exchange, problem, advice):  # noqa: F811
    exchange()
    connect(ada, here, agent=agent.uri, host_key="wrong")
    (order,) = exchange()["tests"]
    step = {"step": "key", "result": "failed", "text": "<i>401</i>", "problem": problem}

    exchange(tests=[{"id": order["id"], "state": "failed", "steps": [step]}])

    page = text_of(ada.get(here))
    assert advice in page
    assert "&lt;i&gt;401&lt;/i&gt;" in page
    assert "wrong" not in main_of(ada.get(here)).replace("wrong-key", "")


def test_search_order_of_the_platform_is_one_the_agent_takes(exchange, ada):
    exchange()
    key = urlsplit(Agent.objects.get().uri).path.split("/")[2]
    ada.send(f"{PATH}search/", agent=key, addresses="127.0.0.1:9")

    order = SearchOrder(**exchange()["search"])

    assert order.addresses == "127.0.0.1:9"


# ---------------------------------------------------------------- readings of a machine


def test_page_of_a_printer_shows_readings_and_watches_it(ada, printer, exchange):
    machine = {
        "printer": printer.uri,
        "state": "printing",
        "job": "<b>.gcode",
        "temperatures": [
            {"heater": "extruder", "actual": 244.7, "target": 245},
            {"heater": "extruder1", "actual": 24.1, "target": 0},
            {"heater": "heater_bed", "actual": 84.6, "target": None},
        ],
        "details": {"layer": 223, "layers": 360, "seconds_left": 6480, "speed": 1.1},
    }
    exchange(machines=[machine])

    page = ada.get(urlsplit(printer.uri).path)

    text = main_of(page)
    assert "Nozzle 245 °C target 245 °C Nozzle 2 24 °C off Bed 85 °C" in text
    assert "&lt;b&gt;.gcode Layer 223 of 360 Time left 1 h 48 min Speed 110 %" in text
    assert 'data-busy="2000"' in page.content.decode()
    assert exchange()["watched"] == [printer.uri]


def test_missing_filament_is_shown(ada, printer, exchange):
    details = {"has_filament": False}
    exchange(machines=[{"printer": printer.uri, "state": "idle", "details": details}])

    page = main_of(ada.get(urlsplit(printer.uri).path))

    assert "The sensor detects no filament." in page
