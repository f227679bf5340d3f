"""The pages of a shop's board and of runs."""

import html
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.console.views.production import table
from apps.erp.models import LineItem, Piece
from core.keys import uuid7
from tests.console.visitor import (
    PASSWORD,
    Browser,
    choices,
    main_of,
    pack,
    text_of,
)


@pytest.fixture
def waiting(confirmed) -> str:
    """The page of an order of three whose pieces wait."""
    return confirmed


def test_production_page_shows_waiting_pieces_and_printers(ada, shop, waiting):
    page = main_of(ada.get(shop))

    assert re.search(r"cube #1 – PLA \S.* 3 ", page)
    assert "1 line item · 3 pieces" in page
    assert "No builds yet." in page
    assert "Printer 1 Check bed" in main_of(ada.get(f"{shop}?view=schedule"))


def test_run_is_packed_sliced_and_printed(ada, shop, waiting, run_jobs):
    path = pack(ada, shop)["Location"]
    assert "Queued for packing" in text_of(ada.get(path))
    assert "No unscheduled pieces." in text_of(ada.get(shop))
    assert "3 pieces" in text_of(ada.get(shop))
    run_jobs()
    page = ada.get(path)
    assert "Packed" in text_of(page)
    assert "Minimum clearance" in text_of(page)
    assert "Print time" in text_of(page)
    assert "Download G-code" in text_of(page)
    assert page.content.decode().count("Packed plate") == 2

    assert ada.send(path, action="start")["Location"] == f"{path}?done=started"
    assert (
        f'href="{path}"><span class="chip run">In production<' in ada.get(waiting).content.decode()
    )
    ada.send(path, action="complete")

    assert "Completed" in text_of(ada.get(path))
    assert text_of(ada.get(waiting)).count("Completed") >= 3


def test_plate_viewer_data_has_position_and_unpacking_direction_of_pieces(
    ada, shop, waiting, run_jobs
):
    path = pack(ada, shop)["Location"]
    assert ada.get(f"{path}plate/").json()["pieces"] == []
    assert "<template data-opened>" not in ada.get(path).content.decode()
    run_jobs()

    assert f'<plate-view src="{path}plate/">' in ada.get(path).content.decode()
    told = ada.get(f"{path}plate/").json()

    (model,) = told["models"]
    assert ada.get(model).status_code == 202
    assert sorted(piece["name"] for piece in told["pieces"]) == [f"cube No. {n}" for n in (1, 2, 3)]
    assert told["reach"] > max(told["bed"].values())
    for piece in told["pieces"]:
        low, high = piece["box"]
        assert (piece["model"], piece["line"], piece["direction"]) == (0, 0, [0, 0, 1])
        assert [most - least for least, most in zip(low, high, strict=True)] == [20, 20, 20]
        assert [row[3] for row in piece["transform"][:3]] == low


def test_resubmitted_packing_form_creates_one_run(ada, shop, waiting, monkeypatch):
    page = ada.get(shop)
    shown = page.content.decode()
    said = {
        "pieces": re.search(r'name="pieces" value="([^"]+)"', shown)[1],
        "key": re.search(r'name="key" value="([^"]+)"', shown)[1],
        "name": re.search(r'name="name" value="([^"]+)"', shown)[1],
        "printer": choices(page, "printer")["Printer 1"],
        "budget": "quick",
    }

    first = ada.send(shop, **said)
    monkeypatch.setattr(timezone, "now", lambda real=timezone.now: real() + timedelta(minutes=1))
    second = ada.send(shop, **said)

    assert first["Location"] == second["Location"]


def test_pieces_of_a_failed_run_are_packed_again(ada, shop, waiting):
    first = pack(ada, shop)["Location"]
    ada.send(first, action="fail")

    second = pack(ada, shop)["Location"]

    assert second != first
    assert "Failed" in text_of(ada.get(first))


def test_run_without_pieces_is_rejected(ada, shop, waiting):
    page = ada.get(shop)
    said = {"printer": choices(page, "printer")["Printer 1"], "budget": "quick", "key": "k"}

    refused = ada.send(shop, **said)

    assert refused.status_code == 400
    assert "Select pieces." in text_of(refused)


def test_rejected_run_action_shows_an_alert(ada, shop, waiting):
    path = pack(ada, shop)["Location"]

    refused = ada.send(path, action="start")

    assert refused.status_code == 409
    assert 'role="alert"' in refused.content.decode()


def test_run_labels_have_a_page_of_their_own(ada, shop, waiting, run_jobs):
    path = pack(ada, shop)["Location"]
    run_jobs()

    page = ada.get(f"{path}labels/")

    assert "3 of 3" in text_of(page)
    assert "style-src 'nonce-" in page["Content-Security-Policy"]


def test_strangers_can_neither_see_nor_change_a_shop(ada, shop, waiting, stranger):
    path = pack(ada, shop)["Location"]
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    for answer in (
        bob.get(shop),
        bob.send(shop, pieces="x"),
        bob.get(path),
        bob.send(path, action="fail"),
        bob.get(f"{path}labels/"),
    ):
        assert answer.status_code == 404


def test_production_page_lists_urgent_line_items_first_and_the_others_by_pages(
    ada, shop, waiting, monkeypatch
):
    monkeypatch.setattr(table, "A_PAGE", 1)
    older = LineItem.objects.get()
    newer = LineItem.objects.get()
    newer.pk, newer.name, newer.priority = uuid7(), "Urgent", 1
    newer.save(force_insert=True)
    step = older.pieces.first().step
    for number in range(1, 501):
        Piece.objects.create(bureau=newer.bureau, line_item=newer, number=number, step=step)

    first = main_of(ada.get(shop))
    assert re.search(r"Urgent .* 500 of 3 ", first)
    assert older.name not in first
    later = re.search(r'href="([^"]+)">Next', ada.get(shop).content.decode())[1]
    assert older.name in main_of(ada.get(html.unescape(later)))
