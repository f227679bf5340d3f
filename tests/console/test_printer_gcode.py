"""Start and end G-code of a printer type: read, confirmed, tested and used."""

import re
from html import unescape

import pytest
from django.conf import settings
from django.utils import translation

from apps.console.domain.printers.gcode_notes import translated_note
from apps.erp.models import PrinterType
from apps.slicing.configs.orca.template_names import ASSUMED
from apps.slicing.configs.orca.templates import OF_PRINTER
from apps.slicing.configs.priming import Excursion
from apps.slicing.domain import gcode_proposals
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import PrinterGcode
from tests.console.test_invitations import invited, register
from tests.console.test_printer_catalogue import add, links
from tests.console.visitor import Browser, main_of, text_of
from tests.slicing.gcode_set import PLAIN, SMART, write_gcode_set

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("gcode_set")]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def gcode_set(presets_folder):
    return write_gcode_set(settings.ORCA_PRESETS)


@pytest.fixture
def page_of(ada, shop):
    """`page_of(name)`: the address of the G-code of a new printer type of this preset."""

    def make(name: str) -> str:
        (path, *_) = links(ada.get("/printer/add/", {"q": name}), f"Add: {name}")
        assert add(ada, path, hour="3").status_code == 303
        types = ada.get("/printer-type/").content.decode()
        match = re.search(rf'href="(/printer-type/[0-9a-f-]+/)"[^>]*>[^<]*(?:<bdi>)?{name}', types)
        return f"{match[1]}gcode/"

    return make


def fields_of(page) -> dict[str, str]:
    """What the form with the proposal is filled in with."""
    content = page.content.decode()
    areas = re.findall(
        r'<textarea name="(\w+)"[^>]*id="id_\w+"[^>]*>\n?([^<]*)</textarea>', content
    )
    (key,) = re.findall(r'name="key" value="([^"]*)"', content)
    return {**{name: unescape(text) for name, text in areas}, "key": key}


def test_gcode_is_confirmed_tested_and_used(ada, page_of, run_jobs):
    path = page_of(PLAIN)
    assert "Estimates only" in main_of(ada.get(path.removesuffix("gcode/")))
    page = ada.get(path)
    fields = fields_of(page)
    assert "M190 S{first_layer_bed_temperature[0]}" in fields["start_gcode"]
    assert "M190 S[bed_temperature_initial_layer_single]" in main_of(page)

    unread = ada.send(path, action="confirm", **fields)
    sent = ada.send(path, action="confirm", confirm="on", **fields)

    assert (unread.status_code, sent.status_code) == (400, 303), text_of(sent)
    assert "Slicing" in main_of(ada.get(path))
    run_jobs()
    ready = ada.get(path)
    assert "220 °C" in main_of(ready)
    (gcode,) = re.findall(r'name="gcode" value="([^"]+)"', ready.content.decode())
    used = ada.send(path, action="use", gcode=gcode)
    assert used.status_code == 303, text_of(used)
    assert "Confirmed" in main_of(ada.get(path.removesuffix("gcode/")))
    assert "In use" in main_of(ada.get(path))


def test_lines_without_equivalent_are_marked_and_refused(ada, page_of):
    path = page_of(SMART)
    page = ada.get(path)

    refused = ada.send(path, action="confirm", confirm="on", **fields_of(page))

    assert "<mark>filament_map</mark>" in page.content.decode()
    assert refused.status_code == 400
    assert "filament_map" in main_of(refused)
    assert not PrinterGcode.objects.exists()


def test_pasted_gcode_is_translated(ada, page_of):
    path = page_of(PLAIN)

    page = ada.send(
        path,
        action="translate",
        start_gcode="G28 ; mine\nM109 S[nozzle_temperature_initial_layer]",
        end_gcode="M104 S0",
    )

    assert page.status_code == 200
    assert fields_of(page)["start_gcode"].startswith("G28 ; mine\nM109 S{first_layer_temperature")


def test_others_see_no_gcode_of_a_printer_type(ada, page_of):
    path = page_of(PLAIN)
    stranger, member = register("eve"), register("bo")
    member.send(invited(ada, "production"))

    assert stranger.get(path).status_code == 404
    assert Browser().get(path).status_code == 303
    assert member.get(path).status_code == 403
    assert member.send(path, action="use", gcode="x").status_code == 403


def test_printer_type_without_a_preset_leads_to_its_page(ada, shop):
    (path,) = links(ada.get("/printer/add/"), "Printer not listed")
    assert add(ada, path, x="180", y="180", z="300").status_code == 303
    row = PrinterType.objects.filter(preset_uri=None).latest("created")
    type_path = f"/printer-type/{row.pk}/"

    answer = ada.get(f"{type_path}gcode/")

    assert (answer.status_code, answer["Location"]) == (303, type_path)
    assert "Review G-code" not in main_of(ada.get(type_path))


def test_every_note_of_a_proposal_is_in_the_language_of_the_page():
    excursion = Excursion(2.0, "X-2", "G1 X-2 Y20 E9", 15).description
    notes = {
        *(gcode_proposals.NO_GCODE, gcode_proposals.BAMBU, gcode_proposals.ONE_FILAMENT),
        *(gcode_proposals.HOT, OF_PRINTER, *(reason for _value, reason in ASSUMED.values())),
        f"The start G-code goes to {excursion} beside the bed.",
    }

    with translation.override("de"):
        shown = {note: translated_note(note) for note in notes}

    assert [note for note, words in shown.items() if words == note or words.lang] == []
    with translation.override("en"):
        assert all(str(translated_note(note)) == note for note in notes)
