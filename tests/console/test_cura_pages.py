"""Pages of Cura's machines: a profile of one, and a printer that is one."""

import re
from html import unescape

import pytest

from apps.erp.models import Printer, PrinterType, ProcessStep
from apps.slicing.domain.cura_machines import cura_machines
from apps.slicing.engines.prusaslicer import PrusaSlicer
from apps.slicing.models import Config
from tests.console.test_printer_catalogue import add, links
from tests.console.visitor import choices, main_of, text_of

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nova", "presets_folder")]

PATH = "/settings/profiles/cura/"


@pytest.fixture
def address(nova) -> str:
    """The page of the machine Nova."""
    (machine,) = cura_machines()
    return f"{PATH}?machine={machine.uuid}"


def form_of(page) -> tuple[str, dict[str, str]]:
    """The address to which the page's form is sent, and its values as they are shown."""
    (form,) = re.findall(r'<form class="card".*?</form>', page.content.decode(), re.DOTALL)
    action = unescape(re.search(r'action="([^"]*)"', form)[1])
    values = {}
    for tag in re.findall(r"<input [^>]*>", form):
        value = re.search(r'value="([^"]*)"', tag)
        values[re.search(r'name="(\w+)"', tag)[1]] = unescape(value[1]) if value else ""
    for name, options in re.findall(r'<select name="(\w+)"(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        first = re.search(r'<option value="([^"]*)"', options)
        values[name] = unescape((chosen or first)[1])
    return action, values


def test_machine_is_searched_by_maker_and_model(ada, shop, address):
    assert f'href="{PATH}"' in ada.get("/settings/profiles/").content.decode()

    found = ada.get(PATH, {"q": "SONS nova"})

    assert "Nova & Sons" in unescape(main_of(found)) and "150 × 140 × 130 mm" in main_of(found)
    assert f'href="{address}"' in found.content.decode()
    assert "No model of the catalogue matches." in main_of(ada.get(PATH, {"q": "acme"}))


def test_profile_is_created_by_the_form_as_it_is_shown(ada, shop, address):
    action, values = form_of(ada.get(address))
    assert {**values, "key": ""} == {
        "nozzle": "0.4 mm",
        "material": "generic_pla_175",
        "quality": "fine",
        "intent": "",
        "description": "",
        "machine": address.partition("=")[2],
        "key": "",
    }

    made = ada.send(f"{PATH}{action}", **{**values, "intent": "engineering"})
    again = ada.send(f"{PATH}{action}", **{**values, "intent": "engineering"})

    assert made["Location"] == again["Location"] == "/settings/profiles/?done=created"
    config = Config.objects.get(engine="cura")
    assert config.description == "Nova · 0.4 mm · generic_pla_175 · fine · engineering"
    assert config.description in text_of(ada.get("/settings/profiles/"))


def test_applied_nozzle_narrows_the_other_choices(ada, shop, address):
    page = ada.get(f"{address}&nozzle=0.8 mm&material=generic_pla_175&key=mine")

    assert choices(page, "material") == {"Generic PLA": "generic_pla_175"}
    assert choices(page, "quality") == {"quality · 0.3 mm": "rough"}
    _action, values = form_of(page)
    assert (values["nozzle"], values["key"]) == ("0.8 mm", "mine")
    assert "intent" not in values


def test_choice_that_does_not_fit_is_replaced_by_the_preferred_one(ada, shop, address):
    page = ada.get(f"{address}&nozzle=0.8 mm&material=petg_175&quality=fine&intent=visual")

    assert "it does not fit: petg_175, fine" in re.sub(" ,", ",", main_of(page))
    _action, values = form_of(page)
    assert (values["material"], values["quality"]) == ("generic_pla_175", "rough")


def test_refused_choices_are_shown_at_their_fields(ada, shop, address):
    action, values = form_of(ada.get(address))

    page = ada.send(f"{PATH}{action}", **{**values, "nozzle": "0.8 mm", "material": "petg_175"})

    assert page.status_code == 400
    assert "This does not fit the other choices: choose again." in main_of(page)
    assert not Config.objects.filter(engine="cura").exists()


def test_rejected_config_shows_the_reason(ada, shop, address, nova):
    place = nova.definitions / nova.program_version() / "profiles"
    (place / "fine.inst.cfg").write_text(
        (place / "fine.inst.cfg").read_text().replace("= 0.12", "= 7")
    )
    action, values = form_of(ada.get(address))

    page = ada.send(f"{PATH}{action}", **values)

    assert page.status_code == 400
    assert "layer_height" in main_of(page)


def test_unknown_machine_is_not_found(ada, shop, address):
    assert ada.get(f"{PATH}?machine=01a1fe00-0000-7000-8000-000000000001").status_code == 404
    assert "Nova" in main_of(ada.get(f"{PATH}?machine=x"))


def test_page_is_not_offered_without_machines(ada, shop, nova, monkeypatch, tmp_path):
    monkeypatch.setattr(type(nova), "version", lambda self: None)

    assert PATH not in ada.get("/settings/profiles/").content.decode()
    assert "No machines of Cura are installed." in main_of(ada.get(PATH))


def test_printer_of_a_machine_of_cura_is_added_with_its_config(ada, shop):
    found = ada.get("/printer/add/", {"q": "nova", "maker": "Nova & Sons"})
    assert "Slice and print" in main_of(found)
    assert "Nova & Sons · 150 × 140 × 130 mm · Cura" in unescape(main_of(found))
    (path,) = links(found, "Add: Nova")

    form = ada.get(path)
    assert "0.4 mm" in main_of(form) and "Fine print · 0.12 mm" in main_of(form)
    assert f'href="{PATH}?machine=' in form.content.decode()
    assert 'name="x"' not in form.content.decode()
    key = {"key": "one key for all", "hour": "3", "name": "Nova 1"}
    made, again = add(ada, path, **key), add(ada, path, **key)

    assert made.status_code == 303, text_of(made)
    assert made["Location"] == again["Location"]
    printer = Printer.objects.get(name="Nova 1")
    kind = PrinterType.objects.get(pk=printer.printer_type_id)
    config = Config.objects.get(engine="cura", fitted=False)
    assert (kind.name, kind.config_uri) == ("Nova", config.uri)
    assert (kind.build_x, kind.build_y, kind.build_z) == (150, 140, 130)
    assert ProcessStep.objects.filter(printer_type=kind).exists()


def test_catalogue_lists_machines_of_cura_after_presets(ada, shop):
    page = main_of(ada.get("/printer/add/"))

    assert 0 < page.index("Acme Round") < page.rindex("Nova")


def test_catalogue_has_machines_of_cura_without_prusaslicer(ada, shop, monkeypatch):
    monkeypatch.setattr(PrusaSlicer, "version", lambda self: None)

    page = main_of(ada.get("/printer/add/"))

    assert "Acme" not in page and "1 model" in page
    assert ada.get("/bureau/").status_code == 200
