"""Timelines of orders and builds, steps of an order, tabs of a build."""

import re
from datetime import UTC, datetime

import pytest

from apps.console.templatetags import console_ui
from apps.erp.models import Bureau, Piece, WorkingCalendar
from tests.console.visitor import main_of, pack


def timeline_of(page) -> list[str]:
    """The entries of the timeline of a page, without their times."""
    (shown,) = re.findall(r'<ul class="timeline-s">.*?</ul>', page.content.decode(), re.DOTALL)
    rows = re.findall(r'<div class="min0">(.*?)<div', shown, re.DOTALL)
    return [re.sub("<[^>]+>", "", row).strip() for row in rows]


def steps_of(page) -> dict[str, str]:
    """State of each step of an order, by its name."""
    shown = re.findall(
        r"<li( class=\"done\"| aria-current=\"step\")?><span.*?</span>(\w[\w ]+)",
        page.content.decode(),
    )
    states = {"": "ahead", ' class="done"': "done", ' aria-current="step"': "current"}
    return {name: states[state] for state, name in shown}


def test_order_page_tells_what_happened_and_the_current_step(ada, shop, confirmed, run_jobs):
    page = ada.get(confirmed)
    assert timeline_of(page) == [
        "Order created",
        "Quote created",
        "Quote accepted",
        "Order confirmed",
    ]
    assert steps_of(page) == {
        "Draft": "done",
        "Quoted": "done",
        "Confirmed": "current",
        "In production": "ahead",
        "Completed": "ahead",
    }
    run = pack(ada, shop)["Location"]
    run_jobs()
    ada.send(run, action="start")
    rejected = Piece.objects.order_by("number").first()
    ada.send(run, action="fail")

    page = ada.get(confirmed)

    assert timeline_of(page)[4] == "Production started"
    assert f"Piece {rejected.number} rejected" in timeline_of(page)
    assert f'href="/piece/{rejected.pk}/"' in page.content.decode()
    assert steps_of(page)["Confirmed"] == "done"


def test_times_of_an_order_are_in_the_time_zone_of_its_shop(ada, confirmed):
    bureau = Bureau.objects.get()
    assert " UTC" in main_of(ada.get(confirmed))

    WorkingCalendar.objects.create(bureau=bureau, name="Week", time_zone="Asia/Tokyo")

    shown = ada.get(confirmed).content.decode()
    assert 'data-zone="Asia/Tokyo">' in shown
    assert " UTC</time>" not in shown


@pytest.mark.parametrize(
    ("at", "zone", "shown"),
    [
        (datetime(2026, 11, 27, 9, 5, tzinfo=UTC), "Europe/Berlin", "Today 10:05"),
        (datetime(2026, 11, 26, 22, 30, tzinfo=UTC), "Europe/Berlin", "Yesterday 23:30"),
        (datetime(2026, 11, 26, 23, 30, tzinfo=UTC), "Europe/Berlin", "Today 00:30"),
        (datetime(2026, 11, 28, 8, 0, tzinfo=UTC), "", "Tomorrow 08:00 UTC"),
        (datetime(2026, 11, 25, 8, 0, tzinfo=UTC), "", "25 Nov 2026, 08:00 UTC"),
    ],
)
def test_moment_names_the_day_in_the_time_zone_of_the_shop(monkeypatch, at, zone, shown):
    now = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
    monkeypatch.setattr(console_ui.timezone, "now", lambda: now)

    tag = console_ui.moment(at, zone)

    assert f">{shown}</time>" in tag
    assert f'datetime="{at:%Y-%m-%dT%H:%M:%SZ}"' in tag


def test_tabs_of_a_build_show_layers_settings_and_history(ada, shop, confirmed, run_jobs):
    run = pack(ada, shop)["Location"]
    assert "Not sliced yet." in main_of(ada.get(f"{run}?tab=settings"))
    run_jobs()

    plate, layers, settings, history = (
        ada.get(f"{run}?tab={tab}") for tab in ("plate", "gcode", "settings", "events")
    )

    assert 'aria-current="page">Plate<' in plate.content.decode()
    assert "<layer-view" not in plate.content.decode()
    assert re.search(r'<layer-view src="/slice/[^"]+/paths/">', layers.content.decode())
    assert "<plate-view" not in layers.content.decode()
    assert re.search(r"Layer height [\d.]+ mm", main_of(settings))
    assert re.search(r"Nozzle temperature \d+ °C", main_of(settings))
    assert timeline_of(history)[:2] == ["Build created", "Packing started"]
    assert "Build packed" in timeline_of(history)
