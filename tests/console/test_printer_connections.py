"""Connections of printers in the console: list, form, pairing code and steps at the agent."""

from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from apps.erp.models import Agent, Printer
from tests.console.visitor import Browser, main_of, text_of

PATH = "/settings/printers/"


@pytest.fixture
def printer(ada, shop) -> Printer:
    return Printer.objects.get()


@pytest.fixture
def here(printer) -> str:
    return f"{urlsplit(printer.uri).path}connection/"


def connect(browser: Browser, here: str, **entries: str):
    form = {"driver": "prusalink", "agent": "new", "name": "Hall", "address": "192.168.1.20"}
    return browser.send(here, **{**form, "key": str(uuid4()), **entries})


def code_of(answer) -> str:
    return text_of(answer).partition("manufacturing-agent pair http://erp.platform.test ")[2][:8]


@pytest.fixture
def agent(ada, here) -> Agent:
    """An agent by which the printer is connected."""
    assert connect(ada, here).status_code == 303
    return Agent.objects.get()


@pytest.fixture
def device(ada, here, agent, client_of):
    """The API as the paired agent has it."""
    code = code_of(ada.send(here, code="yes"))
    answer = client_of("erp").post("/agent/pair/", {"code": code})
    assert answer.status_code == 201, answer.json()
    return client_of("erp", HTTP_AUTHORIZATION=f"Bearer {answer.json()['token']}")


def see(device, printer: Printer, state: str, **more: str) -> None:
    machine = {"printer": printer.uri, "state": state, **more}
    answer = device.post("/agent/exchange/", {"version": "1", "machines": [machine]})
    assert answer.status_code == 200, answer.json()


def test_printer_without_a_connection_is_listed_with_the_next_step(ada, printer, here):
    Printer.objects.update(driver=None)

    page = main_of(ada.get(PATH))

    assert "Not connected" in page
    assert "Choose how it is connected." in page
    assert here in ada.get(PATH).content.decode()


def test_printer_is_connected_by_a_new_agent_of_its_location(ada, printer, here):
    sent = connect(ada, here)

    assert sent.status_code == 303
    printer.refresh_from_db()
    agent = Agent.objects.get()
    assert (printer.driver, printer.agent) == ("prusalink", agent)
    assert (agent.location, agent.name) == (printer.location, "Hall")
    page = text_of(ada.get(sent["Location"]))
    assert f"manufacturing-agent add {printer.uri} http://192.168.1.20 --driver prusalink" in page
    assert "Settings, Network, PrusaLink shows user and password" in page


def test_form_that_is_sent_twice_makes_one_agent(ada, here):
    key = str(uuid4())

    for _ in range(2):
        assert connect(ada, here, key=key).status_code == 303

    assert Agent.objects.count() == 1


def test_existing_agent_of_the_location_is_chosen(ada, printer, here, agent):
    assert connect(ada, here, agent=agent.uri, driver="moonraker").status_code == 303

    printer.refresh_from_db()
    assert (printer.driver, printer.agent, Agent.objects.count()) == ("moonraker", agent, 1)


def test_printer_is_operated_by_hand_again(ada, printer, here, agent):
    assert connect(ada, here, agent=agent.uri, driver="manual").status_code == 303

    printer.refresh_from_db()
    assert (printer.driver, printer.agent) == ("manual", None)
    assert "manufacturing-agent" not in main_of(ada.get(here))


@pytest.mark.parametrize(
    "address", ["http://maker:secret@192.168.1.20", "ftp://192.168.1.20", "http://", "a b"]
)
def test_address_with_credentials_or_without_a_host_is_rejected(ada, printer, here, address):
    sent = connect(ada, here, address=address)

    assert sent.status_code == 400
    assert "without user and password" in text_of(sent)
    assert not Agent.objects.exists()


def test_pairing_code_is_shown_once_and_pairs_the_agent(ada, here, agent, client_of):
    assert "Show pairing code" in text_of(ada.get(here))

    sent = ada.send(here, code="yes")

    assert (sent.status_code, sent["Cache-Control"]) == (201, "no-store")
    code = code_of(sent)
    assert client_of("erp").post("/agent/pair/", {"code": code}).status_code == 201
    assert code not in text_of(ada.get(here))


def test_each_state_of_a_connection_has_its_next_step(ada, printer, here, device):
    see(device, printer, "offline", text="It answers with 401: is the key right?")
    shown = main_of(ada.get(PATH))
    assert "Printer offline" in shown
    assert "is the key right?" in shown

    see(device, printer, "idle", address="http://192.168.1.20", host="PrusaLink 0.8.1")
    for page in (main_of(ada.get(PATH)), main_of(ada.get(here))):
        assert "Connected" in page
        assert "PrusaLink 0.8.1" in page
        assert "http://192.168.1.20" in page

    assert device.post("/agent/exchange/", {"version": "1", "machines": []}).status_code == 200
    assert "Enter address and key, and test the connection." in main_of(ada.get(PATH))

    Agent.objects.update(seen="2020-01-01T00:00Z")
    assert "Start the agent, or its computer." in main_of(ada.get(PATH))


def test_connection_of_a_stranger_leads_to_the_sign_in(here):
    page = Browser().get(here)

    assert page.status_code == 303
    assert page["Location"].startswith("/sign-in/")
