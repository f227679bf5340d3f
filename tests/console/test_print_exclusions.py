"""Exclusion of labelled objects without a piece, on the page of a print attempt."""

from types import SimpleNamespace

import pytest

from apps.erp.models import Attempt, Bureau, Printer, Run
from apps.erp.production.domain import object_exclusion
from tests.console.visitor import set_up, text_of

GCODE = "http://slicing.platform.test/gcode/1/"
LABEL = {"name": "Spare_0", "number": 4, "firmware": "klipper"}


@pytest.fixture
def attempt(ada, person, monkeypatch) -> Attempt:
    """A print of uploaded G-code with one labelled object, on a printer operated by hand."""
    set_up(ada)
    gcode = SimpleNamespace(uri=GCODE, metadata={"objects": [{"labels": [LABEL]}]})
    monkeypatch.setattr(object_exclusion.slicing, "get_gcode_unchecked", lambda uri: gcode)
    bureau, printer = Bureau.objects.get(), Printer.objects.get()
    values = {"bureau": bureau, "creator": person}
    run = Run.objects.create(
        **values,
        name="Night",
        operation="printing",
        printer_type=printer.printer_type,
        status=Run.Status.IN_PROGRESS,
        gcode_uri=GCODE,
    )
    return Attempt.objects.create(
        **values, run=run, printer=printer, name="night.gcode", status="printing"
    )


def test_object_without_a_piece_is_excluded_after_a_confirmation(ada, attempt):
    Printer.objects.update(driver="moonraker")
    path = f"/attempt/{attempt.pk}/"
    (printed,) = object_exclusion.printed_objects(Attempt.objects.get())
    link = f"{path}?exclude={printed.label.name}#pieces"
    assert link in ada.get(path).content.decode()
    assert "The object makes no piece of the build. Exclude object" in text_of(ada.get(link))

    answer = ada.send(path, action="exclude", object=printed.label.name)

    assert answer["Location"] == f"{path}?done=excluded"
    assert "Spare_0 no piece of the build Being excluded" in text_of(ada.get(path))


def test_object_that_the_machine_cannot_exclude_has_the_reason_and_no_button(ada, attempt):
    page = ada.get(f"/attempt/{attempt.pk}/")

    assert "Spare_0 no piece of the build" in text_of(page)
    assert text_of(page).count("The printer is operated by hand") == 1
    assert "?exclude=" not in page.content.decode()
