"""The pages of shops and orders: what they ask, say and refuse."""

import re
from uuid import uuid4

import pytest

from apps.console.views.base import page as views_page
from apps.erp.models import LineItem, PrinterType
from tests.console.visitor import PASSWORD, Browser, choices, main_of, order, sell, set_up, text_of


def ordered(ada, part, **fields) -> str:
    return order(ada, part, **fields)["Location"].partition("?")[0]


# ---------------------------------------------------------------- shops


def test_resubmitted_shop_form_creates_one_shop(ada):
    key = str(uuid4())
    said = {"name": "Makers", "currency": "eur", "material": "PLA", "filament": "PLA", "key": key}

    first = ada.send("/bureau/", **said, preset="")
    second = ada.send("/bureau/", **said, preset="")

    assert first.status_code == 303
    assert first["Location"] == second["Location"]
    assert main_of(ada.get("/bureau/")).count("Makers") == 1


def test_rejected_shop_form_can_be_corrected_and_resubmitted(ada):
    said = {"name": "Makers", "material": "PLA", "filament": "PLA", "key": str(uuid4())}

    refused = ada.send("/bureau/", **said, currency="EUR", preset="", x="20000")
    made = ada.send("/bureau/", **said, currency="EUR", preset="", x="200")

    assert refused.status_code == 400
    assert 'id="id_x_error"' in refused.content.decode()
    assert made.status_code == 303
    assert main_of(ada.get("/bureau/")).count("Makers") == 1


def test_printer_of_a_shop_is_selected_from_the_preset_catalogue(ada, presets_folder):
    printers = choices(ada.get("/bureau/"), "preset")
    name = next(name for name, uri in printers.items() if uri)
    said = {"name": "Makers", "currency": "EUR", "material": "PLA", "filament": "PLA"}

    made = ada.send("/bureau/", **said, preset=printers[name], key=str(uuid4()))

    assert made.status_code == 303, text_of(made)


def test_user_without_shop_is_redirected_to_shop_setup(ada):
    assert ada.get("/order/new/")["Location"] == "/bureau/"
    assert "Set up a shop before creating orders." in text_of(ada.get("/order/"))


# ---------------------------------------------------------------- orders


def test_order_is_created_estimated_and_confirmed(ada, part, shop, run_jobs):
    path = ordered(ada, part)
    page = ada.get(path)
    assert "3 × cube" in text_of(page)
    assert "Estimating" in text_of(page)
    assert 'http-equiv="refresh"' in page.content.decode()
    run_jobs()
    page = text_of(ada.get(path))
    assert "Awaiting confirmation" in page
    assert "Cost" in page
    assert "Machine time" in page

    assert ada.send(path, action="confirm")["Location"] == f"{path}?done=confirmed"

    page = text_of(ada.get(path))
    assert "Ready for production" in page
    assert [f"No. {number} Unscheduled" in page for number in (1, 2, 3)] == [True] * 3
    assert "Nr. 1" in text_of(ada.get("/order/"))


def test_resubmitted_order_form_creates_one_order(ada, part, shop):
    key = str(uuid4())

    first, second = order(ada, part, key=key), order(ada, part, key=key)

    assert first["Location"] == second["Location"]
    assert text_of(ada.get(first["Location"])).count("3 × cube") == 1


def test_order_without_quantities_is_rejected(ada, part, shop):
    refused = order(ada, part, **{f"n-{part.split('/')[2]}": "0"})

    assert refused.status_code == 400
    assert "Enter a quantity for at least one part." in text_of(refused)


def test_quote_is_created_withdrawn_and_accepted(ada, part, shop, run_jobs):
    path = ordered(ada, part)
    run_jobs()

    ada.send(path, action="offer")
    assert re.search(r"Quoted at [\d.]+ EUR, valid until", text_of(ada.get(path)))
    ada.send(path, action="withdraw")
    assert "Quoted at" not in text_of(ada.get(path))
    ada.send(path, action="offer")
    ada.send(path, action="confirm")

    assert "Ready for production" in text_of(ada.get(path))


def test_rejected_order_action_shows_an_alert(ada, part, shop):
    path = ordered(ada, part)

    refused = ada.send(path, action="confirm")

    assert refused.status_code == 409
    assert 'role="alert"' in refused.content.decode()
    assert "3 × cube" in text_of(refused)


def test_line_item_is_cancelled_and_reopened(ada, part, shop, run_jobs):
    path = ordered(ada, part)
    run_jobs()
    item = re.search(r'action="(/line-item/[^"]+)"', ada.get(path).content.decode())[1]

    assert ada.send(item, action="cancel")["Location"] == f"{path}?done=cancelled"
    assert "Cancelled" in text_of(ada.get(path))
    ada.send(item, action="reopen")

    assert "Awaiting confirmation" in text_of(ada.get(path))
    assert ada.get(item)["Location"] == path


def test_strangers_can_neither_see_nor_change_an_order(ada, part, shop, stranger):
    path = ordered(ada, part)
    item = re.search(r'action="(/line-item/[^"]+)"', ada.get(path).content.decode())[1]
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    for answer in (
        bob.get(path),
        bob.send(path, action="cancel"),
        bob.get(item),
        bob.send(item, action="cancel"),
    ):
        assert answer.status_code == 404
    assert "Nr. 1" not in text_of(bob.get("/order/"))


def test_order_page_query_count_is_independent_of_piece_count(
    ada, part, shop, run_jobs, api_requests
):
    counts = []
    for more in (1, 8):
        path = ordered(ada, part, number=more)
        run_jobs()
        ada.send(path, action="confirm")
        api_requests.clear()
        assert text_of(ada.get(path)).count("Unscheduled") == more
        counts.append(len(api_requests))

    assert counts == [20, 20]


# ---------------------------------------------------------------- models of orders


def test_part_of_a_confirmed_order_is_not_deleted_and_the_page_names_the_order(
    ada, part, shop, run_jobs
):
    path = ordered(ada, part)
    run_jobs()
    ada.send(path, action="confirm")

    refused = ada.send(f"{part}delete/")

    assert refused.status_code == 409
    assert "Orders in production still need this part." in text_of(refused)
    assert f'<a href="{path}"><bdi>Nr. 1</bdi></a>' in refused.content.decode()
    assert 'class="danger"' not in refused.content.decode()
    assert ada.get(part).status_code == 200


# ---------------------------------------------------------------- totals


def sums(page) -> list[str]:
    """The figures of the total, and where the page speaks of a quote the sum of that."""
    text = text_of(page)
    return re.findall(r"(?:Parts|order|Net|Tax 19 %|incl. tax|Quoted at) ([\d.,]+) EUR", text)


def test_order_shows_one_total_before_and_after_acceptance(ada, part, shop, run_jobs):
    sell(ada, shop)
    path = ordered(ada, part)
    run_jobs()
    before = sums(ada.get(path))
    net, gross = before[2], before[4]
    assert float(before[0]) + float(before[1]) == pytest.approx(float(net))
    assert before[1] == "5.90"
    assert float(gross) == pytest.approx(1.19 * float(net), abs=0.01)

    ada.send(path, action="offer")
    assert sums(ada.get(path)) == [gross, *before]

    ada.send(path, action="confirm")
    assert sums(ada.get(path)) == before


# ---------------------------------------------------------------- print options


def test_print_options_of_an_order_are_in_its_estimate_and_can_be_changed(
    ada, part, shop, run_jobs
):
    path = ordered(ada, part, supports="off", infill="40", layer_height="0.3")
    run_jobs()
    page = text_of(ada.get(path))
    assert "Layer height 0.3 mm Infill 40 % Supports Off" in page

    item = LineItem.objects.get()
    saved = ada.send(
        f"/line-item/{item.pk}/", action="options", supports="on", infill="15", orientation="as_is"
    )
    run_jobs()

    assert saved["Location"] == f"{path}?done=options"
    page = text_of(ada.get(path))
    assert "Layer height 0.2 mm Infill 15 % Supports On" in page
    item.refresh_from_db()
    assert item.orientation == "as_is"


def test_print_options_of_a_confirmed_order_cannot_be_changed(ada, part, shop, run_jobs):
    path = ordered(ada, part)
    run_jobs()
    assert "Save options" in text_of(ada.get(path))

    ada.send(path, action="confirm")

    assert "Save options" not in text_of(ada.get(path))


def test_shop_form_sets_the_default_print_options(ada):
    fields = {"name": "Makers", "currency": "EUR", "material": "PLA", "filament": "PLA"}

    ada.send("/bureau/", **fields, preset="", supports="off", infill="30", key=str(uuid4()))

    machine = PrinterType.objects.get()
    assert (machine.supports, machine.infill, machine.layer_height) == ("off", 30, None)


def test_new_order_and_price_table_are_of_the_shop_that_is_chosen(ada, part, shop):
    second = set_up(ada, "Second")
    assert "Shop: Second" in main_of(ada.get("/order/new/"))
    for chosen, other in ((second, "Parts"), (shop, "Second")):
        ada.send("/shop/", shop=chosen.split("/")[2], next="/")

        for path in ("/order/new/", f"{part}prices/"):
            page = main_of(ada.get(path))
            assert re.search(rf"Shop: (?!.*{other}.* Other:)", page), path
            assert f"Other: {other}" in page
        by_address = main_of(ada.get(f"/order/new/?bureau={shop.split('/')[2]}"))
        assert "Shop: Parts &amp; Sons" in by_address


def test_shop_beyond_those_of_the_switcher_can_be_chosen(ada, shop, monkeypatch):
    monkeypatch.setattr(views_page, "MAX_SHOPS", 1)
    set_up(ada, "Second")

    ada.send("/shop/", shop=shop.split("/")[2], next="/")

    assert main_of(ada.get("/queue/", follow=True)).count("Parts &amp; Sons") >= 1


def test_order_page_shows_customer_due_date_and_reference(ada, part, shop, client_of, person):
    path = ordered(ada, part)
    uri = f"http://erp.platform.test{path}"
    fields = {"customer_name": "Gates", "customer_po": "PO-7", "due_date": "2030-01-31"}
    assert client_of("erp", person).put(uri, fields).status_code == 204

    page = main_of(ada.get(path))

    assert "Customer Gates" in page
    assert "PO number PO-7" in page
    assert "Due 31 Jan 2030" in page
