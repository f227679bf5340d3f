"""The pages of slices: how one is chosen, and what is told of it."""

import re

import pytest
from django.test import Client

from apps.slicing.domain.installed_engines import installed_engines
from apps.slicing.engines.prusaslicer import PrusaSlicer
from tests.console.visitor import drop, text_of


def test_slice_is_configured_and_shown_as_queued(ada, upload, cube, run_jobs):
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    run_jobs()
    form = ada.get(f"{path}slice/").content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]
    chosen = {"engine": "slic3r", "material": "PLA", "print_quality": "low", "key": key}

    made = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="2", raft="on")
    again = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="2", raft="on")

    assert made.status_code == 303
    assert made["Location"] == again["Location"]
    page = ada.get(made["Location"])
    assert "Queued" in text_of(page)
    assert 'http-equiv="refresh"' in page.content.decode()
    assert "Queued" in text_of(ada.get(path))
    assert "Draft (0.3 mm layer height)" in text_of(page)
    assert re.search("Raft *yes", text_of(page))


def test_slice_form_is_prefilled_from_another_slice(ada, upload, cube, run_jobs):
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    run_jobs()
    chosen = {"engine": "slic3r", "material": "ABS", "print_quality": "low", "key": "k"}
    made = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="3", raft="on")
    again = re.search(r'href="([^"]+like=[^"]+)"', ada.get(made["Location"]).content.decode())[1]

    form = ada.get(again).content.decode()

    assert re.search('value="ABS" selected', form)
    assert re.search('name="infill_density" value="15', form)
    assert re.search('name="perimeters" value="3"', form)
    assert re.search('name="raft"[^>]* checked', form)
    assert not re.search('name="support"[^>]* checked', form)


def test_slice_page_works_after_model_and_config_are_deleted(ada, upload, cube, run_jobs):
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    run_jobs()
    chosen = {"engine": "slic3r", "material": "PLA", "print_quality": "low", "key": "k"}
    made = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="3")["Location"]
    slicing = Client(SERVER_NAME="slicing.platform.test")
    slicing.cookies = ada.cookies
    config = slicing.get(made).json()["config"].removeprefix("http://slicing.platform.test")
    run_jobs()
    assert slicing.delete(config).status_code == 204

    ada.send(f"{path}delete/")

    page = ada.get(made)
    assert page.status_code == 200
    assert "Slicing settings Layer height 0.3 mm Material PLA" in text_of(page)


def test_api_error_of_a_slice_form_is_shown_at_its_field(ada, upload, cube, run_jobs):
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    run_jobs()
    chosen = {"engine": "slic3r", "material": "PLA", "print_quality": "low", "key": "k"}

    refused = ada.send(f"{path}slice/", **chosen, infill_density="many", perimeters="2")

    page = refused.content.decode()
    assert 'aria-invalid="true"' in page
    assert "id_infill_density_error" in page


def test_viewer_is_redirected_to_the_toolpaths_of_a_slice(ada, part, run_jobs):
    chosen = {"engine": "slic3r", "material": "PLA", "print_quality": "low", "key": "k"}
    path = ada.send(f"{part}slice/", **chosen, infill_density="5", perimeters="1")["Location"]
    assert "<layer-view" not in ada.get(path).content.decode()
    run_jobs()
    assert f'<layer-view src="{path}paths/">' in ada.get(path).content.decode()

    assert ada.get(f"{path}paths/").status_code == 202
    run_jobs()

    assert "files.platform.test/content/" in ada.get(f"{path}paths/")["Location"]


def test_unavailable_engine_cannot_be_selected_and_form_shows_the_reason(
    ada, upload, cube, run_jobs, monkeypatch
):
    engines = installed_engines()
    if engines["slic3r"].version() is None:
        pytest.skip(engines["slic3r"].missing())
    monkeypatch.setattr(engines["cura"], "obstacle", lambda: "CuraEngine is away: bring it back.")
    monkeypatch.setattr(PrusaSlicer, "note", lambda _: "PrusaSlicer is untried.")
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    run_jobs()
    chosen = {"engine": "cura", "material": "PLA", "print_quality": "low", "key": "k"}

    form = ada.get(f"{path}slice/")
    refused = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="2")

    assert "CuraEngine is not offered on this server. CuraEngine is away: bring it back." in (
        text_of(form)
    )
    assert "PrusaSlicer is untried." in text_of(form)
    assert 'value="slic3r"' in form.content.decode()
    assert 'value="cura"' not in form.content.decode()
    assert refused.status_code == 400
