"""Console pages of G-code: keys of slicers, upload, and the form of a build."""

import re

import pytest

from apps.erp.models import Bureau, LineItem, Piece, PrinterType, ReceivedFile, Run, SlicerKey
from apps.slicing.models import Gcode
from tests.console.visitor import Browser, confirmed_order, main_of, set_up, text_of
from tests.gcode.slicer_files import FILES


@pytest.fixture
def shop(ada: Browser) -> str:
    return set_up(ada)


@pytest.fixture
def gcode(ada, shop, upload, run_jobs) -> str:
    """The path of the page of G-code that is uploaded by its form."""
    answer = ada.send("/gcode/", name="bracket.gcode")
    assert answer.status_code == 303
    path = answer["Location"]
    assert "Upload file" in main_of(ada.get(path))
    upload({"uri": Gcode.objects.get().uri}, FILES["PrusaSlicer"][1])
    run_jobs()
    return path


def test_key_is_created_shown_once_and_deleted(ada, shop):
    answer = ada.send("/settings/slicers/", name="Office", printer_type="")
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    page = answer.content.decode()
    (secret,) = re.findall(r'id="secret" readonly value="([\w-]{32})"', page)
    assert 'value="http://print.platform.test"' in page
    assert secret not in ada.get("/settings/slicers/").content.decode()

    key = SlicerKey.objects.get()
    assert ada.send("/settings/slicers/", revoke=str(key.pk)).status_code == 303
    assert not SlicerKey.objects.exists()
    assert ada.send("/settings/slicers/", name="").status_code == 400


def test_last_received_files_are_shown_with_their_reasons(ada, shop, person):
    ReceivedFile.objects.create(
        bureau=Bureau.objects.get(),
        name="lid.gcode",
        status="waiting",
        slicer="PrusaSlicer/2.9.2",
        creator=person,
        errors=[{"code": "no-printer-type", "title": "None."}],
    )

    shown = text_of(ada.get("/settings/slicers/"))

    assert "lid.gcode" in shown
    assert "PrusaSlicer/2.9.2" in shown
    assert "No printer type of the shop matches the G-code. Choose one." in shown


def test_build_is_created_of_uploaded_gcode(ada, gcode):
    page = ada.get(gcode)
    assert "PrusaSlicer 2.9.2+linux-x64" in text_of(page)
    assert "Bracket.stl × 2" in text_of(page)
    kind = PrinterType.objects.get()

    answer = ada.send(gcode, printer_type=kind.uri, name="Night")

    assert answer.status_code == 303
    run = Run.objects.get()
    assert answer["Location"].startswith(f"/run/{run.pk}/")
    assert (run.name, run.printer_type, run.status) == ("Night", kind, "calculated")
    shown = text_of(ada.get(f"/run/{run.pk}/"))
    assert "This build makes no pieces of orders." in shown
    assert "Slice build" not in shown
    layers = ada.get(f"/run/{run.pk}/?tab=gcode").content.decode()
    assert f'<layer-view src="{gcode}paths/">' in layers
    assert "Night" in text_of(ada.get(gcode))


def test_layers_of_uploaded_gcode_are_shown(ada, gcode, run_jobs):
    assert f'<layer-view src="{gcode}paths/">' in ada.get(gcode).content.decode()
    assert ada.get(f"{gcode}paths/").status_code == 202
    run_jobs()

    assert "files.platform.test/content/" in ada.get(f"{gcode}paths/")["Location"]


def test_waiting_pieces_are_offered_and_printed_by_the_build(ada, gcode, upload, cube, run_jobs):
    confirmed_order(ada, lambda path: upload({"uri": path}, cube), run_jobs)
    LineItem.objects.update(name="Bracket")
    named = [str(key) for key in Piece.objects.order_by("number").values_list("pk", flat=True)][:2]

    page = ada.get(gcode).content.decode()
    (checked,) = re.findall(r'name="pieces" value="([^"]+)"[^>]*checked', page)
    assert checked.split(",") == named
    kind = PrinterType.objects.get()
    answer = ada.send(gcode, printer_type=kind.uri, name="Night", pieces=checked)

    assert answer.status_code == 303
    assert {str(place.piece_id) for place in Run.objects.get().places.all()} == set(named)


def test_form_of_a_build_says_what_is_wrong(ada, gcode):
    assert ada.send(gcode, printer_type="http://elsewhere/", name="x").status_code == 400
    assert not Run.objects.exists()
