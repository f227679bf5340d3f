"""Effective settings of a slice, for those who may read it."""

import pytest

from apps.slicing.configs.parameters import PARAMETERS

pytestmark = [pytest.mark.django_db, pytest.mark.engine]


def test_settings_of_a_slice_are_those_of_its_config_and_defaults(
    slicing, config_of, part, order, run_jobs
):
    made = order(part, config_of(perimeters=3, material="abs", print_quality="fine"))
    assert slicing.get(f"{made['uri']}settings/").json()["layer_height"] is None
    run_jobs()

    settings = slicing.get(f"{made['uri']}settings/").json()

    assert (settings["layer_height"], settings["presets"]) == (0.1, None)
    assert set(settings["parameters"]) == set(PARAMETERS)
    assert settings["parameters"]["perimeters"] == {"value": 3, "source": "config"}
    assert settings["parameters"]["bed_temperature"] == {"value": 100.0, "source": "default"}


def test_settings_of_a_foreign_slice_are_not_found(client_of, stranger, config_of, part, order):
    made = order(part, config_of())

    assert client_of("slicing", stranger).get(f"{made['uri']}settings/").status_code == 404
