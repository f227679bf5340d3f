"""Live state of printers: details that agents report, and printers that people watch."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.models import Printer

DETAILS = {
    "layer": 23,
    "layers": 360,
    "seconds_left": 6480.0,
    "speed": 1.1,
    "has_filament": False,
}


def test_printer_shows_the_details_that_its_agent_reports(erp, machine, see):
    see(machine)
    assert erp.get(machine["uri"]).json()["machine"]["details"] is None

    see(machine, "printing", details=DETAILS)

    assert erp.get(machine["uri"]).json()["machine"]["details"] == DETAILS


@pytest.mark.parametrize(
    "odd",
    [
        {"layer": -1},
        {"layers": 1e9},
        {"layer": 1.5},
        {"seconds_left": -1},
        {"seconds_left": "NaN"},
        {"speed": 101},
        {"has_filament": "yes"},
        {"unknown": 1},
        [],
    ],
)
def test_details_out_of_bounds_are_rejected(agent, machine, odd):
    row = {"printer": machine["uri"], "state": "printing", "details": odd}

    assert agent.post("/agent/exchange/", {"machines": [row]}).status_code == 400


def test_watched_printer_is_reported_every_two_seconds(erp, machine, see):
    answer = see(machine)
    assert (answer["watched"], answer["next_seconds"]) == ([], 10)

    watched = erp.post(f"{machine['uri']}watch/", {})

    assert watched.status_code == 200
    answer = see(machine)
    assert (answer["watched"], answer["next_seconds"]) == ([machine["uri"]], 2)
    Printer.objects.update(watched=timezone.now() - timedelta(seconds=16))
    assert see(machine)["watched"] == []


def test_watching_again_within_five_seconds_writes_nothing(erp, machine):
    erp.post(f"{machine['uri']}watch/", {})
    first = Printer.objects.get().watched

    erp.post(f"{machine['uri']}watch/", {})

    assert Printer.objects.get().watched == first


def test_stranger_cannot_watch_a_printer(client_of, stranger, machine):
    assert client_of("erp", stranger).post(f"{machine['uri']}watch/", {}).status_code == 404


def test_printer_shows_the_filament_that_its_agent_reports(erp, machine, see):
    tray = {"slot": "A1", "material": "PLA", "color": "#ff0000", "remaining": 0.75}
    see(machine, trays=[tray | {"is_active": True}, {"slot": "external", "material": "PETG"}])

    shown = erp.get(machine["uri"]).json()["machine"]["trays"]

    assert shown == [
        tray | {"is_active": True},
        {"slot": "external", "material": "PETG", "color": None, "remaining": None}
        | {"is_active": False},
    ]


@pytest.mark.parametrize(
    "odd",
    [
        {"color": "red"},
        {"color": '"><x>'},
        {"remaining": 2},
        {"material": None},
        {"unknown": 1},
    ],
)
def test_trays_out_of_bounds_are_rejected(agent, machine, odd):
    tray = {"slot": "A1", "material": "PLA", **odd}
    row = {"printer": machine["uri"], "state": "printing", "trays": [tray]}

    assert agent.post("/agent/exchange/", {"machines": [row]}).status_code == 400
