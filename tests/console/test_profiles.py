"""Settings page of slicer profiles: upload of a config or a bundle, choice of presets, use."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from apps.erp.models import PrinterType
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import Config
from tests.console.visitor import Browser, main_of, set_up, text_of
from tests.slicing.test_bundle_configs import CHOSEN, bundle

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


def test_faults_of_a_file_are_shown_with_their_line(ada, shop):
    def refused(**sent):
        answer = ada.send(PATH, **sent)
        assert answer.status_code == 400
        return main_of(answer)

    assert "Choose a file with a profile." in refused()
    archive = SimpleUploadedFile("plate.3mf", b"PK\x03\x04\xff\xfe")
    assert "The file is no .ini file of a slicer." in refused(file=archive)
    assert "perimeters" in refused(file=ini("layer_height = 0.2\nperimeters = many\n"))
    assert "Line 1" in refused(file=ini("[print]x\n[print:A]\n"))
    assert not Config.objects.filter(kind="raw").exists()
