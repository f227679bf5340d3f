"""Page of failed prints and rejected pieces."""

from apps.erp.models import Run
from apps.slicing.configs.bundles import KINDS
from apps.slicing.models import Config
from tests.console.test_printers import clear, pack, press, printer, run, start  # noqa: F401
from tests.console.visitor import main_of


def test_failure_rates_are_shown_by_printer_material_and_profile(ada, clear, run):  # noqa: F811
    assert "No print has ended in the last 90 days." in main_of(ada.get("/printer/failures/"))
    start(ada, clear, run)
    press(ada, clear, "failed")
    press(ada, clear, "clear")

    page = main_of(ada.get("/printer/failures/"))

    assert "Failed prints 100.0 % 1 of 1 Rejected pieces 100.0 % 3 of 3" in page
    assert "By printer" in page
    assert "Printer 1 1 1 (100.0 %) 0 3 3 (100.0 %)" in page
    assert "G-code of another origin 1 1 (100.0 %) 0 3 3 (100.0 %)" in page


def test_failure_rates_name_the_profile_that_was_printed_with(
    ada,
    clear,  # noqa: F811
    run,  # noqa: F811
    client_of,
    person,
    stranger,
):
    start(ada, clear, run)
    press(ada, clear, "failed")
    press(ada, clear, "clear")
    body = {"engine": "slic3r", "parameters": {}, "description": "Strong parts"}
    own, of_another = (
        client_of("slicing", owner).post("/config/curated/", body)["Location"]
        for owner in (person, stranger)
    )

    for uri, name in ((own, "Strong parts"), (of_another, "Unnamed profile")):
        Run.objects.update(config_uri=uri)
        assert f"{name} 1 1 (100.0 %)" in main_of(ada.get("/printer/failures/"))
    presets = {kind: {"key": uri_key(own), "name": kind, "digest": ""} for kind in KINDS}
    presets["print"]["name"] = "0.20mm QUALITY"
    preset = {"presets": presets, "vendor": "Acme", "version": "1"}
    Config.objects.filter(pk=uri_key(own)).update(kind="preset", preset=preset)
    Run.objects.update(config_uri=own)
    assert "0.20mm QUALITY 1 1 (100.0 %)" in main_of(ada.get("/printer/failures/"))


def uri_key(uri: str) -> str:
    return uri.rstrip("/").rpartition("/")[2]
