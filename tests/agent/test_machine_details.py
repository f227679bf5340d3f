"""Details of a print by each driver: temperatures, layers, time left, speed, filament sensor."""

import json

import pytest

from agent.http_client import HttpClient
from agent.octoprint import OctoPrint
from agent.platform_client import PlatformClient
from machines.drivers import HeaterTemperature, MachineDetails, MachineStatus
from tests.agent.conftest import HERE, Host, says

ODD = [True, "12", -1, 1e300, None, [], {"a": 1}]


def client_of(there: Host) -> HttpClient:
    return HttpClient(there.address, {}, HERE)


def octoprint(left: object, **heaters: object):
    """Answers of an OctoPrint that prints."""

    def answer(handler):
        body: dict = {"job": {"file": {"name": "a.gcode"}}, "state": "Printing"}
        body["progress"] = {"completion": 12.5, "printTimeLeft": left}
        if handler.path.startswith("/api/printer"):
            body = {"temperature": heaters}
        says(200, json.dumps(body).encode())(handler)

    return answer


def test_octoprint_reports_temperatures_and_time_left(host):
    bed = {"actual": 59.8, "target": 60.0, "offset": 0}
    there = host(octoprint(840, tool0={"actual": 209.9, "target": 210.0}, bed=bed, tool1=None))

    seen = OctoPrint(client_of(there)).look()

    assert seen.temperatures == (
        HeaterTemperature("tool0", 209.9, 210.0),
        HeaterTemperature("bed", 59.8, 60.0),
    )
    assert seen.details == MachineDetails(seconds_left=840)


@pytest.mark.parametrize("odd", ODD)
def test_octoprint_values_out_of_bounds_are_left_out(host, odd):
    there = host(octoprint(odd, tool0={"actual": odd if odd != -1 else -999}, bed=odd))

    seen = OctoPrint(client_of(there)).look()

    assert (seen.doing, seen.temperatures) == (MachineStatus.PRINTING, ())
    assert seen.details == MachineDetails()


def test_octoprint_without_temperatures_is_still_seen(host):
    def answer(handler):
        there = octoprint(1)
        (says(403) if handler.path.startswith("/api/printer") else there)(handler)

    seen = OctoPrint(client_of(host(answer))).look()

    assert (seen.doing, seen.temperatures) == (MachineStatus.PRINTING, ())


def test_klipper_reports_layers_speed_time_left_and_sensors(shop):
    shop.machine.stats |= {
        "filename": "a.gcode",
        "state": "printing",
        "print_duration": 600,
        "info": {"current_layer": 23, "total_layer": 360},
    }
    shop.machine.m73 = 0.25
    shop.machine.extra = {
        "gcode_move": {"speed_factor": 1.1},
        "filament_switch_sensor left": {"filament_detected": True},
        "filament_motion_sensor right": {"filament_detected": False},
    }

    shop.driver.look()

    assert shop.driver.look().details == MachineDetails(
        layer=23, layers=360, seconds_left=1800, speed=1.1, has_filament=False
    )


@pytest.mark.parametrize("odd", ODD)
def test_klipper_values_out_of_bounds_are_left_out(shop, odd):
    shop.machine.stats |= {"print_duration": odd, "info": {"current_layer": odd}}
    shop.machine.extra = {"gcode_move": {"speed_factor": odd}, "filament_switch_sensor a": odd}

    shop.driver.look()

    assert shop.driver.look().details == MachineDetails()


def test_prusalink_reports_time_left_and_speed(prusa):
    prusa.machine.prints("a.gcode")
    prusa.machine.time_remaining, prusa.machine.speed = 1200, 95

    details = prusa.driver.look().details

    assert details == MachineDetails(seconds_left=1200, speed=0.95)


def test_exchange_names_the_printers_that_are_watched(host):
    body = {"attempts": [], "next_seconds": 2, "watched": ["http://erp.here/printer/1/"]}
    new, old = (
        PlatformClient(host(says(200, json.dumps(row).encode())).address).exchange([], [])
        for row in (body, {"attempts": [], "next_seconds": 10})
    )

    assert (new.watched, old.watched) == ({"http://erp.here/printer/1/"}, frozenset())
