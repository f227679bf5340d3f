"""Temperatures of a machine, as its agent reports them."""

import pytest


@pytest.mark.parametrize("driver", ["octoprint", "moonraker"])
def test_printer_shows_the_temperatures_that_its_agent_reports(erp, machine, see, driver):
    assert erp.put(machine["uri"], {"driver": driver}).status_code == 204
    see(machine)
    assert erp.get(machine["uri"]).json()["machine"]["temperatures"] == []
    temperatures = [
        {"heater": "extruder", "actual": 209.84, "target": 210.0},
        {"heater": "extruder1", "actual": 24.1, "target": None},
    ]

    see(machine, "printing", temperatures=temperatures)

    shown = erp.get(machine["uri"]).json()
    assert (shown["driver"], shown["machine"]["temperatures"]) == (driver, temperatures)


def test_invalid_temperatures_are_rejected(agent, machine):
    for rows in ([{"heater": "a"}], [{"heater": "a", "actual": "hot"}], [{}] * 21, "no"):
        row = {"printer": machine["uri"], "state": "idle", "temperatures": rows}
        assert agent.post("/agent/exchange/", {"machines": [row]}).status_code == 400


def test_printer_shows_address_and_version_of_its_host(erp, machine, see):
    see(machine)
    shown = erp.get(machine["uri"]).json()["machine"]
    assert (shown["address"], shown["host"]) == (None, None)

    see(machine, address="http://192.168.1.20", host="PrusaLink 0.8.1")

    shown = erp.get(machine["uri"]).json()["machine"]
    assert (shown["address"], shown["host"]) == ("http://192.168.1.20", "PrusaLink 0.8.1")
