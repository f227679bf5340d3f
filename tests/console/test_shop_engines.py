"""Slicers in the shop in the console: list, slice form, catalogue, printer type."""

import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from apps.erp.models import Printer, PrinterType
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import AgentEngine, EngineJob
from tests.console.test_printer_catalogue import add, links
from tests.console.test_printer_connections import agent, device, here  # noqa: F401
from tests.console.visitor import drop, main_of, text_of
from tests.slicing.orca_set import PRINTER, write_set

pytestmark = pytest.mark.engine

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def printer(ada, shop) -> Printer:
    return Printer.objects.get()


@pytest.fixture
def report(device):  # noqa: F811
    """`report("orcaslicer")`: the agent reports this slicer."""

    def send(program: str, isolation: str = "bubblewrap") -> None:
        engine = {"program": program, "version": "2.3.1", "isolation": isolation}
        answer = device.post("/agent/exchange/", {"version": "2", "engines": [engine]})
        assert answer.status_code == 200, answer.json()

    return send


@pytest.fixture
def orca_set(presets_folder):
    return write_set(settings.ORCA_PRESETS)


def test_slicers_of_agents_are_listed_with_their_state(ada, shop, report):
    report("orcaslicer")
    page = text_of(ada.get("/settings/printers/"))
    assert re.search(r"OrcaSlicer 2\.3\.1 Hall · Last contact .* Online", page)
    assert "bubblewrap" not in page

    report("orcaslicer", isolation="limits")
    AgentEngine.objects.update(seen=timezone.now() - timedelta(minutes=2))
    page = text_of(ada.get("/settings/printers/"))
    assert re.search(r"install bubblewrap on the computer of the agent\. *Offline", page)


@pytest.mark.usefixtures("device")
def test_page_says_how_a_slicer_is_added(ada, shop):
    assert "manufacturing-agent engine /path/to/slicer" in text_of(ada.get("/settings/printers/"))


def test_part_is_sliced_by_the_slicer_in_the_shop(ada, shop, report, upload, cube, run_jobs):
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    run_jobs()
    report("prusaslicer")
    form = ada.get(f"{path}slice/").content.decode()
    engine = re.search(r'<option value="([^"]+)">PrusaSlicer \(Hall\) in the shop', form)[1]
    chosen = {"engine": engine, "material": "PLA", "print_quality": "low", "key": "k"}

    made = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="2")
    run_jobs()

    assert made.status_code == 303, text_of(made)
    assert EngineJob.objects.get().engine.uri == engine
    page = text_of(ada.get(made["Location"]))
    assert "waiting for the slicer in the shop" in page
    assert "Slicer PrusaSlicer in the shop Material" in page


@pytest.mark.usefixtures("orca_set")
def test_printer_of_another_slicer_is_added_with_the_slicer_in_the_shop(ada, shop, report):
    search = {"q": PRINTER}
    assert re.search(rf"{PRINTER}.*Estimate", text_of(ada.get("/printer/add/", search)))
    report("orcaslicer")

    models = ada.get("/printer/add/", search)
    assert re.search(rf"{PRINTER}.*OrcaSlicer in the shop", text_of(models))
    made = add(ada, links(models, f"Add: {PRINTER}")[0], hour="3")

    assert made.status_code == 303, text_of(made)
    row = PrinterType.objects.get(name=PRINTER)
    assert row.engine_uri == AgentEngine.objects.get().uri
    page = main_of(ada.get(f"/printer-type/{row.pk}/"))
    assert "Slicer in the shop" in page and "OrcaSlicer" in page
    form = ada.get(f"/printer-type/{row.pk}/edit/").content.decode()
    assert re.search(rf'<option value="{row.engine_uri}" selected', form)
