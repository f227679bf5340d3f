"""The pages of printers: what they print, what they need, and the clearing of their plates."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.actors import mark_silent_agents_offline
from apps.erp.models import Agent, Attempt, Bureau, LineItem, Piece, Place, Printer, Run, Workflow
from apps.erp.production.services.runs import create_run
from tests.console.visitor import PASSWORD, Browser, main_of, set_up, text_of


@pytest.fixture
def printer(ada) -> str:
    """The page of the printer of a new shop."""
    set_up(ada)
    return f"/printer/{Printer.objects.get().pk}/"


@pytest.fixture
def clear(ada, printer) -> str:
    """The same, of which somebody has said that its plate is empty."""
    assert ada.send(printer, action="clear")["Location"] == f"{printer}?done=cleared"
    return printer


@pytest.fixture
def pack(person, client_of, printer):
    """`pack("Night")`: a run of three pieces, packed already; the path of its page."""

    def make(name: str = "Night") -> str:
        bureau, workflow = Bureau.objects.get(), Workflow.objects.get()
        item = LineItem.objects.create(
            bureau=bureau,
            workflow=workflow,
            name="Cube",
            quantity=3,
            no_model_upload=True,
            status="pending",
            creator=person,
        )
        answer = client_of("erp", person).put(item.uri, {"status": "confirmed"})
        assert answer.status_code == 204
        run = create_run(
            actor=person,
            bureau=bureau,
            name=name,
            operation="printing",
            pieces=list(item.pieces.order_by("number")),
            printer_type=Printer.objects.get().printer_type,
            status=Run.Status.CALCULATED,
        )
        return f"/run/{run.pk}/"

    return make


@pytest.fixture
def run(pack) -> str:
    return pack()


def press(browser, path: str, word: str, **fields):
    """A button of the printer's page, with what its form holds beside it."""
    found = re.search(r'name="attempt" value="([^"]+)"', browser.get(path).content.decode())
    said = {"attempt": found[1]} if found else {}
    return browser.send(path, action=word, **{**said, **fields})


def start(browser, printer: str, run: str) -> None:
    """Plan the run by its own page, and say that it prints."""
    uri = f"http://erp.platform.test{printer}"
    made = browser.send(run, action="print", printer=uri, key="first")
    assert made["Location"] == f"{printer}?done=planned", text_of(made)
    assert press(browser, printer, "printing").status_code == 303


def test_print_is_started_finished_and_its_bed_cleared(ada, clear, run):
    assert "Print on Printer 1" in text_of(ada.get(run))
    assert "Print here" in text_of(ada.get(clear))
    start(ada, clear, run)
    page = text_of(ada.get(clear))
    assert "Printing" in page
    assert "Night" in page
    assert "Printer 1 : Printing" in text_of(ada.get(run))
    assert "Accept all pieces" not in text_of(ada.get(run))

    press(ada, clear, "done")
    page = text_of(ada.get(clear))
    assert "Bed not cleared" in page
    assert "Cube No. 3" in page
    press(ada, clear, "clear", listed="yes")

    assert "Ready" in text_of(ada.get(clear))
    page = ada.get(run)
    assert "Completed Printer 1" in text_of(page)  # that it was packed for any printer of its type
    assert "Print attempts Printer 1" in text_of(page)
    assert f'href="/attempt/{Attempt.objects.get().pk}/"' in page.content.decode()
    assert list(Piece.objects.values_list("status", flat=True)) == ["complete"] * 3


def test_print_at_a_manual_printer_is_started_by_one_press(ada, clear, run):
    form = ada.get(clear).content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]
    uri = re.search(r'name="run" value="([^"]+)"', form)[1]

    ada.send(clear, action="start", key=key, run=uri)

    assert "Mark as finished" in text_of(ada.get(clear))
    assert Attempt.objects.get().status == "printing"


def test_rejected_piece_is_replaced(ada, clear, run):
    start(ada, clear, run)
    press(ada, clear, "done")
    bad = re.findall(r'name="rejected" value="([^"]+)"', ada.get(clear).content.decode())[1]

    press(ada, clear, "clear", listed="yes", rejected=bad, notes="Warped.")

    pieces = Piece.objects.order_by("number")
    assert [piece.status for piece in pieces] == ["complete", "error", "complete", "created"]
    assert (pieces[1].notes, pieces[3].replica_of) == ("Warped.", pieces[1])


def test_failed_print_preselects_all_rejects_and_can_be_repeated(ada, clear, run):
    start(ada, clear, run)
    press(ada, clear, "failed")
    page = ada.get(clear).content.decode()
    assert len(re.findall(r'name="rejected" value="[^"]+" id="[^"]+" checked', page)) == 3

    assert press(ada, clear, "repeat")["Location"] == f"{clear}?done=repeated"

    assert "Ready to start" in text_of(ada.get(clear))
    assert "Print failed" in text_of(ada.get(clear))  # among what was before


def test_attempt_of_unknown_state_shows_its_evidence_and_possible_outcomes(ada, clear, run):
    start(ada, clear, run)
    Attempt.objects.update(status="unclear")
    Printer.objects.update(plate="unknown")

    page = text_of(ada.get(clear))

    assert "State unknown" in page
    assert re.search(r"UTC : Printing", page)
    ways = ("Print succeeded", "Print failed", "Never started")
    assert [way in page for way in ways] == [True, True, False]  # it was seen printing
    Attempt.objects.update(began=None)
    assert "Never started" in text_of(ada.get(clear))
    press(ada, clear, "failed")
    assert "Bed not cleared" in text_of(ada.get(clear))


def test_stale_printer_page_changes_nothing(ada, clear, run):
    start(ada, clear, run)
    old = re.search(r'name="attempt" value="([^"]+)"', ada.get(clear).content.decode())[1]
    press(ada, clear, "failed")
    press(ada, clear, "repeat")

    late = ada.send(clear, action="printing", attempt=old)

    assert late["Location"] == f"{clear}?done=changed"
    assert sorted(Attempt.objects.values_list("status", flat=True)) == ["failed", "planned"]


def test_run_printer_and_location_pages_show_the_reason_a_run_waits(ada, printer, run):
    location = f"/location/{Printer.objects.get().location_id}/"
    assert "Bed may not be empty: check and clear it." in text_of(ada.get(run))
    assert "Check bed" in text_of(ada.get(location))
    assert "Print queue is empty." in text_of(ada.get(location))

    assert ada.send(run, action="queue")["Location"] == f"{run}?done=queued"

    assert "Night Bed may not be empty" in re.sub(" … ", " ", text_of(ada.get(location)))
    ada.send(printer, action="clear")
    assert "Printer available" in text_of(ada.get(location))


def test_late_print_request_is_rejected_on_its_page(ada, clear, run):
    uri = f"http://erp.platform.test{clear}"
    assert ada.send(run, action="print", printer=uri, key="first").status_code == 303

    refused = ada.send(run, action="print", printer=uri, key="second")

    assert refused.status_code == 409
    assert "Another print attempt is open" in text_of(refused)


def test_printer_without_driver_can_be_set_to_manual_operation(ada, printer, run):
    Printer.objects.update(driver=None)
    assert "No connection" in text_of(ada.get(printer))
    assert "Mark as printing" in text_of(ada.get(run))

    ada.send(printer, action="manual")

    assert "Check bed" in text_of(ada.get(printer))


@pytest.mark.parametrize(
    ("action", "fields", "status"),
    [
        ("clear", {"listed": "yes", "rejected": "x"}, 400),
        ("print", {"run": "x"}, 403),
        ("clear", {"attempt": "x"}, 303),
        ("x", {}, 303),
    ],
)
def test_invalid_printer_form_changes_nothing(ada, clear, run, action, fields, status):
    start(ada, clear, run)
    press(ada, clear, "done")

    answer = press(ada, clear, action, **fields)

    assert answer.status_code == status
    assert "Bed not cleared" in text_of(ada.get(clear))


def test_strangers_see_no_printers(ada, clear, run, stranger):
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)
    location = f"/location/{Printer.objects.get().location_id}/"

    for answer in (
        bob.get(location),
        bob.get(clear),
        bob.send(clear, action="clear"),
        bob.send(clear, action="print", run=f"http://erp.platform.test{run}"),
    ):
        assert answer.status_code == 404


def test_location_page_query_count_is_independent_of_printer_count(ada, clear, run, api_requests):
    start(ada, clear, run)
    first = Printer.objects.get()
    location = f"/location/{first.location_id}/"
    counts = []
    for number in (1, 8):
        for more in range(number):
            Printer.objects.create(
                bureau=first.bureau,
                location=first.location,
                printer_type=first.printer_type,
                name=f"Number {number}.{more}",
            )
        api_requests.clear()
        assert text_of(ada.get(location)).count("Number") >= number
        counts.append(len(api_requests))

    assert counts == [11, 11]


@pytest.fixture
def driven(ada, client_of, person, clear, run):
    """The printer's page, its agent, and `see(state, **more)`: a report of its machine.

    The machine prints the run.
    """
    erp, row = client_of("erp", person), Printer.objects.get()
    made = erp.post("/agent/", {"location": row.location.uri, "name": "Shop"}).headers["Location"]
    code = erp.post(f"{made}code/").json()["code"]
    token = client_of("erp").post("/agent/pair/", {"code": code}).json()["token"]
    agent = client_of("erp", HTTP_AUTHORIZATION=f"Bearer {token}")

    def see(state: str, *reports: dict, **more) -> None:
        machines = [{"printer": row.uri, "state": state, **more}]
        body = {"version": "1", "machines": machines, "reports": list(reports)}
        assert agent.post("/agent/exchange/", body).status_code == 200

    start(ada, clear, run)
    assert erp.put(row.uri, {"maintenance": False}).status_code == 204
    Printer.objects.update(driver="octoprint", agent=made.split("/")[-2])
    see("printing", job=Attempt.objects.get().name, progress=0.31)
    return clear, see


def test_print_of_a_driven_printer_is_cancelled_after_confirmation(ada, driven):
    printer, see = driven
    page = text_of(ada.get(printer))
    assert "31 %" in page
    assert "Mark as finished" not in page

    question = press(ada, printer, "stopped")

    assert question["Location"] == f"{printer}?cancel=yes"
    assert Attempt.objects.get().wanted is None
    assert "the pieces on the bed are lost" in text_of(ada.get(question["Location"]))
    press(ada, printer, "stopped", sure="yes")
    assert Attempt.objects.get().wanted == "stopped"
    assert "Cancelling" in text_of(ada.get(printer))


def test_outcome_of_a_print_that_its_agent_sees_is_refused_on_its_page(ada, driven):
    printer, _ = driven

    early = press(ada, printer, "done")

    assert early.status_code == 409
    assert "The printer is at work" in text_of(early)
    assert Attempt.objects.get().status == "printing"


def test_silent_agent_makes_its_printer_offline_on_every_page(ada, driven):
    printer, see = driven
    see("paused", job=Attempt.objects.get().name, progress=0.31)
    Agent.objects.update(seen=timezone.now() - timedelta(seconds=190))
    mark_silent_agents_offline.fn()
    location = f"/location/{Printer.objects.get().location_id}/"

    page = text_of(ada.get(printer))

    assert "Offline last seen 3 minutes ago" in page
    assert "your choice overrides the machine" in page
    assert "Mark as finished" in page
    assert "Offline" in text_of(ada.get(location))
    assert "Paused" not in text_of(ada.get(location))
    press(ada, printer, "done")
    assert Attempt.objects.get().evidence[-1]["what"] == "done: machine offline"


def test_printed_part_of_a_failed_print_is_asked_where_it_is_unknown(ada, clear, run):
    start(ada, clear, run)
    assert "printed part, percent" in text_of(ada.get(clear))

    press(ada, clear, "failed", printed="30")

    assert Attempt.objects.get().progress == 0.3


def test_printers_page_filters_by_state_and_leads_to_the_wall(ada, clear):
    page = main_of(ada.get("/printer/"))
    assert "Printer 1" in page
    assert "Needs attention 0" in page
    assert "Printer 1" not in main_of(ada.get("/printer/?state=attention"))

    wall = ada.get("/printer/wall/")

    assert "Printer 1" in main_of(wall)
    assert "Ready: 1" in main_of(wall)
    assert 'http-equiv="refresh"' in wall.content.decode()


def test_wall_without_a_shop_leads_to_the_set_up(ada):
    assert ada.get("/printer/wall/")["Location"] == "/bureau/"


def test_page_of_an_attempt_shows_its_temperatures_and_progress(ada, driven):
    printer, see = driven
    attempt = Attempt.objects.get()
    heaters = [
        {"heater": "tool0", "actual": 208.6, "target": 210.0},
        {"heater": "bed", "actual": 60.2, "target": 60.0},
    ]
    Attempt.objects.update(began=timezone.now() - timedelta(hours=1))
    see("printing", job=attempt.name, progress=0.5, temperatures=heaters)

    for path in (printer, f"/attempt/{attempt.pk}/"):
        page = ada.get(path)

        assert 'class="nozzle"' in page.content.decode()
        assert "Nozzle 209 °C 209 °C 209 °C" in main_of(page)
        assert "Progress 31 % 50 % 50 %" in main_of(page)


def test_page_of_an_attempt_without_readings_says_so(ada, clear, run):
    start(ada, clear, run)

    page = main_of(ada.get(f"/attempt/{Attempt.objects.get().pk}/"))

    assert "The machine reported no readings of this print." in page
    assert "Printing" in page


def test_piece_is_excluded_from_a_running_print_after_a_confirmation(ada, clear, run):
    start(ada, clear, run)
    attempt = f"/attempt/{Attempt.objects.get().pk}/"
    first, second, _third = Piece.objects.order_by("number")
    link = f"{attempt}?exclude={second.pk}#pieces"
    assert all(link in ada.get(path).content.decode() for path in (run, attempt))
    assert text_of(ada.get(attempt)).count("The printer is operated by hand") == 1
    assert "Reject piece" in text_of(ada.get(link))

    answer = ada.send(attempt, action="exclude", piece=str(second.pk))

    assert answer["Location"] == f"{attempt}?done=excluded"
    assert "Not excluded" in text_of(ada.get(attempt))
    label = {"gcode": "http://g", "name": "Cube_1", "number": 0, "firmware": "klipper"}
    Place.objects.filter(piece=first).update(label={**label, "center": [40, 41.5]})
    Run.objects.update(gcode_uri=label["gcode"])
    Printer.objects.update(driver="moonraker")
    page = text_of(ada.get(f"{attempt}?exclude={first.pk}"))
    assert "Cube_1 , X 40, Y 41.5 mm The printer skips this object" in page
    Attempt.objects.update(status="done")
    late = ada.send(attempt, action="exclude", piece=str(first.pk))
    assert "The print has ended." in text_of(late)
