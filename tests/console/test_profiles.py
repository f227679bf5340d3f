"""Settings page of slicer profiles: upload of a config or a bundle, choice of presets, use."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from apps.erp.models import PrinterType
from apps.slicing.domain import catalogue
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import Config
from apps.slicing.services.presets import create_preset_config
from tests.console.visitor import Browser, main_of, set_up, text_of
from tests.slicing.project_files import bambu_project
from tests.slicing.test_bundle_configs import CHOSEN, bundle
from tests.slicing.vendor_bundle import BUNDLE

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("presets_folder")]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)

PATH = "/settings/profiles/"


def ini(content: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("mine.ini", content.encode())


@pytest.fixture
def shop(ada: Browser) -> str:
    return set_up(ada)


def test_config_is_uploaded_used_by_a_printer_type_and_deleted(ada, shop):
    answer = ada.send(PATH, file=ini("perimeters = 4\nnonsense = 1\n"), description="My own")
    assert answer.status_code == 303

    config = Config.objects.get(kind="raw", fitted=False)
    shown = text_of(ada.get(PATH))
    assert "My own" in shown and "1 setting is not used as written" in shown
    kind = PrinterType.objects.get()
    form = f"/printer-type/{kind.pk}/edit/"
    assert f'<option value="{config.uri}"' in ada.get(form).content.decode()

    PrinterType.objects.filter(pk=kind.pk).update(config_uri=config.uri)
    used = ada.get(PATH).content.decode()
    assert f'href="/printer-type/{kind.pk}/"' in used and 'name="delete"' not in used
    PrinterType.objects.filter(pk=kind.pk).update(config_uri=None)

    assert ada.send(PATH, delete=str(config.pk)).status_code == 303
    assert "My own" not in text_of(ada.get(PATH))


def test_presets_of_a_bundle_are_offered_with_the_file_in_the_form(ada, shop):
    answer = ada.send(PATH, file=ini(bundle()))
    assert answer.status_code == 200
    assert "The file has several presets." in main_of(answer)
    page = answer.content.decode()
    assert '<option value="Coarse">' in page and '<option value="Fine">' in page
    assert "[print:Fine]" in page

    assert ada.send(PATH, text=bundle(), print="Fine").status_code == 303
    assert ada.send(PATH, file=ini(bundle(chosen=CHOSEN))).status_code == 303
    names = set(Config.objects.filter(kind="raw").values_list("description", flat=True))
    assert names == {"My Flat · Fine · My PETG", "My Flat · Coarse · My PETG"}


def test_project_of_a_slicer_is_uploaded(ada, shop):
    project = SimpleUploadedFile("bracket.3mf", bambu_project())

    assert ada.send(PATH, file=project).status_code == 303

    shown = text_of(ada.get(PATH))
    assert "Nova One 0.4 nozzle · 0.20mm Nova · Nova PLA" in shown
    assert "Estimates only" in shown


def test_faults_of_a_file_are_shown_with_their_line(ada, shop):
    def refused(**sent):
        answer = ada.send(PATH, **sent)
        assert answer.status_code == 400
        return main_of(answer)

    assert "Choose a file with a profile." in refused()
    archive = SimpleUploadedFile("plate.3mf", b"PK\x03\x04\xff\xfe")
    assert "The archive cannot be read" in refused(file=archive)
    picture = SimpleUploadedFile("plate.png", b"\x89PNG")
    assert "The file has no profile of a slicer." in refused(file=picture)
    assert "perimeters" in refused(file=ini("layer_height = 0.2\nperimeters = many\n"))
    assert "Line 1" in refused(file=ini("[print]x\n[print:A]\n"))
    assert not Config.objects.filter(kind="raw").exists()


def test_profiles_are_compared_with_each_other_and_their_preset(ada, shop):
    assert "There is nothing to compare yet" in text_of(ada.get(f"{PATH}compare/"))
    ada.send(PATH, file=ini("perimeters = 4\nend_gcode = M84\\n; a\\n; b\\n"), description="Solid")
    ada.send(PATH, file=ini(bundle(parent="Acme Round", chosen=CHOSEN)), description="Mine")
    one, two = Config.objects.filter(kind="raw", fitted=False).order_by("created")

    shown = ada.get(PATH).content.decode()
    assert f'href="{PATH}compare/?first={two.pk}"' in shown
    preset = main_of(ada.get(f"{PATH}compare/?first={two.pk}"))
    assert "Acme Round (Acme &amp; Sons)" in preset
    assert re.search(r"max_print_height 130 180", preset)
    assert "Filament" not in preset.partition("settings differ")[2]
    other = main_of(ada.get(f"{PATH}compare/?first={one.pk}&other=config-{two.pk}"))
    assert re.search(r"perimeters 4 3", other)
    assert "M84 … M84 ; a ; b" in other
    for odd in ("?first=x", "?first=&other=now", f"?first={one.pk}&other=preset-{one.pk}"):
        assert ada.get(f"{PATH}compare/{odd}").status_code == 200


def test_outdated_config_is_compared_with_its_presets_of_now(ada, shop, person, presets_folder):
    printer = next(row for row in catalogue.catalogue() if row.name == "Acme Flat")
    config = create_preset_config(owner=person, printer=printer.uri, overrides={})
    assert "Outdated configurations" not in text_of(ada.get(PATH))

    changed = BUNDLE.replace("infill_speed = 80", "infill_speed = 90")
    (presets_folder / "Acme.ini").write_text(changed)

    assert "Outdated configurations" in text_of(ada.get(PATH))
    compared = main_of(ada.get(f"{PATH}compare/?first={config.pk}&other=now"))
    assert "Its presets as installed now" in compared
    assert re.search(r"infill_speed 80 90", compared)
