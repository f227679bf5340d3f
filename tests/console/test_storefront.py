"""A visitor of a storefront uploads a part, sees prices, orders, and follows the order."""

import re
from uuid import uuid4

from apps.erp.actors import send_message
from apps.erp.models import (
    Bureau,
    Customer,
    LineItem,
    Material,
    Message,
    Order,
)
from apps.slicing.domain.installed_engines import settings_of
from apps.slicing.models import Config
from apps.warehouse.models import Model
from tests.chat_server import ChatServer
from tests.console.visitor import Browser, main_of, text_of

ADDRESS = {
    "email": "joost@example.com",
    "name": "Joost van Dijk",
    "company": "Van Dijk BV",
    "street": "Havenstraat 22",
    "postcode": "3011 TG",
    "city": "Rotterdam",
    "country": "NL",
}


def uploaded(visitor: Browser, path: str, upload, cube: bytes) -> None:
    """A cube, as a browser without script sends it."""
    made = visitor.send(f"{path}file/", name="cube", type="stl", key=str(uuid4()))
    assert made.status_code == 303, main_of(made)
    form = visitor.get(made["Location"])
    assert "data-upload" in form.content.decode()
    key = made["Location"].split("/")[-2]
    upload({"uri": f"http://models.platform.test/model/{key}/"}, cube)


def prepared(visitor: Browser, path: str, sliced, total: str = "Total") -> str:
    """Chooses the first price of a cube and goes to the checkout; the key of its form."""
    page = visitor.send(f"{path}prices/")["Location"]
    sliced()
    shown = visitor.get(page).content.decode()
    name, value = re.search(r'name="(cell-[^"]+)" value="([^"]+\.\d+)"', shown).groups()
    table = re.search(r'name="table" value="([^"]+)"', shown)[1]
    to = visitor.send(f"{path}cart/", **{"table": table, name: value, "checkout": "1"})
    assert to["Location"] == f"{path}checkout/"
    form = visitor.get(to["Location"])
    assert "1 × cube" in main_of(form)
    assert total in main_of(form)
    return re.search(r'name="key" value="([^"]+)"', form.content.decode())[1]


def ordered(visitor: Browser, path: str, sliced) -> str:
    """The page of an order of one cube."""
    key = prepared(visitor, path, sliced)
    placed = visitor.send(f"{path}checkout/", key=key, **ADDRESS)
    assert placed.status_code == 303, main_of(placed)
    return placed["Location"]


def test_visitor_orders_a_part_and_follows_the_order(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(review="instant"), Browser()
    assert "Drop files here" in main_of(visitor.get(path))
    uploaded(visitor, path, upload, cube)
    run_jobs()
    assert "Show prices" in main_of(visitor.get(path))

    page = ordered(visitor, path, sliced)

    assert "on its way by e-mail" in text_of(visitor.get(page))
    shown = main_of(Browser().get(page))
    assert "Order #1" in shown
    assert "1 × cube" in shown
    customer, order = Customer.objects.get(), Order.objects.get()
    assert (customer.name, customer.country, order.customer) == ("Van Dijk BV", "NL", customer)
    assert "Havenstraat 22" in order.shipping_address
    assert main_of(visitor.get(path)).count("Select the prices") == 1  # the cart is empty


def test_prices_do_not_wait_for_the_picture_of_a_part(storefront, upload, cube, run_jobs):
    path, visitor = storefront(review="instant"), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    Model.objects.update(picture=None)

    page = visitor.get(path)

    assert "Show prices" in main_of(page)
    assert "priced by hand" not in main_of(page)
    assert "data-busy" in page.content.decode()  # it is updated until the picture is there


def test_page_says_that_prices_follow_while_another_part_is_analysed(
    storefront, upload, cube, run_jobs
):
    path, visitor = storefront(review="instant"), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()

    uploaded(visitor, path, upload, cube + b" ")

    page = main_of(visitor.get(path))
    assert "Prices follow once all parts are analysed." in page
    assert "priced by hand" not in page


def test_customer_gets_the_link_of_the_page_in_the_language_of_the_checkout(
    storefront, upload, cube, run_jobs, sliced, mailoutbox
):
    path, visitor = storefront(review="always"), Browser()
    visitor.cookies["language"] = "de"
    uploaded(visitor, path, upload, cube)
    run_jobs()
    key = prepared(visitor, path, sliced, total="Gesamt")

    placed = visitor.send(f"{path}checkout/", key=key, **ADDRESS)["Location"].partition("?")[0]
    message = Message.objects.get()
    send_message.fn(str(message.pk))

    (mail,) = mailoutbox
    assert mail.subject == "Ihre Bestellung 1 ist eingegangen"
    assert f"http://platform.test{placed}" in mail.body
    assert Customer.objects.get().language == "de"


def test_page_does_not_promise_a_mail_that_the_shop_has_switched_off(
    storefront, upload, cube, run_jobs, sliced, client_of, person
):
    path, visitor = storefront(), Browser()
    erp = client_of("erp", person)
    bureau = erp.get("/bureau/").json()["resources"][0]["uri"]
    body = {"bureau": bureau, "moment": "received", "language": "en", "enabled": False}
    assert erp.post("/message-template/", body).status_code == 201
    uploaded(visitor, path, upload, cube)
    run_jobs()

    page = ordered(visitor, path, sliced)

    assert "e-mail" not in text_of(visitor.get(page))
    assert not Message.objects.exists()


def test_order_under_review_waits_for_a_person(
    storefront, upload, cube, run_jobs, sliced, client_of, person, mailoutbox
):
    path, visitor = storefront(review="always"), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()

    client_of("erp", person).post(
        "/staff-notification/", {"bureau": Bureau.objects.get().uri, "moment": "order-review"}
    )
    page = ordered(visitor, path, sliced)
    sliced()

    (mail,) = mailoutbox
    assert (mail.subject, mail.to) == ("Order 1 waits for a review", ["ada@example.com"])
    assert "We check the order" in main_of(visitor.get(page))
    assert Order.objects.get().status == "new"


def test_order_under_review_is_sent_to_a_channel_of_the_shop(
    storefront, upload, cube, run_jobs, sliced, client_of, person
):
    path, visitor, server = storefront(review="always"), Browser(), ChatServer()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    body = {"bureau": Bureau.objects.get().uri, "name": "Workshop", "moments": ["order-review"]}
    body["url"] = f"ntfy://{server.host}/workshop"
    assert client_of("erp", person).post("/notification-channel/", body).status_code == 201

    ordered(visitor, path, sliced)
    sliced()
    server.stop()

    (received,) = [request.json for request in server.requests]
    assert (received["topic"], received["title"]) == ("workshop", "Order 1 needs a review")
    assert received["message"].endswith(f"http://platform.test/order/{Order.objects.get().pk}/")


def test_instant_order_is_confirmed_by_itself(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(review="instant"), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()

    ordered(visitor, path, sliced)
    sliced()

    assert LineItem.objects.get().status == "confirmed"
    quote = Order.objects.get().quotes.get()
    assert (quote.status, quote.accepted_by) == ("accepted", "Joost van Dijk")


def test_checkout_names_what_is_missing(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    page = visitor.send(f"{path}prices/")["Location"]
    sliced()
    shown = visitor.get(page).content.decode()
    name, value = re.search(r'name="(cell-[^"]+)" value="([^"]+\.\d+)"', shown).groups()
    table = re.search(r'name="table" value="([^"]+)"', shown)[1]
    visitor.send(f"{path}cart/", **{"table": table, name: value})

    answer = visitor.send(
        f"{path}checkout/", key="1", **{**ADDRESS, "email": "joost", "street": ""}
    )

    assert answer.status_code == 400
    assert not Order.objects.exists()


def test_color_of_a_material_is_shown_beside_it(storefront):
    path = storefront()
    assert "swatch" not in Browser().get(path).content.decode()

    Material.objects.update(color="#1798a5")

    assert 'fill="#1798a5"' in Browser().get(path).content.decode()


def test_visit_of_another_browser_is_not_seen(storefront, upload, cube, run_jobs):
    path, visitor = storefront(), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()

    assert "cube" in main_of(visitor.get(path))
    assert "cube" not in main_of(Browser().get(path))


def test_storefront_that_is_not_enabled_is_not_found(storefront):
    storefront()

    answer = Browser().get("/s/other/")

    assert answer.status_code == 404
    assert "Not found" in main_of(answer)


def test_form_of_another_site_begins_no_visit(storefront):
    path = storefront()

    assert Browser().send(f"{path}visit/", origin="http://other.test").status_code == 403


def test_order_sent_twice_is_placed_once(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    key = prepared(visitor, path, sliced)

    pages = [visitor.send(f"{path}checkout/", key=key, **ADDRESS)["Location"] for _ in range(2)]

    assert Order.objects.count() == 1
    assert pages[0].startswith("/o/")
    assert pages[1] == pages[0]


def test_removed_part_leaves_the_cart(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    prepared(visitor, path, sliced)
    part = re.search(r'id="remove-([^"]+)"', visitor.get(path).content.decode())[1]

    assert visitor.send(f"{path}file/{part}/").status_code == 303

    shown = visitor.get(path)
    assert shown.status_code == 200
    assert "cube" not in main_of(shown)
    assert visitor.get(f"{path}checkout/")["Location"] == path


def test_chosen_print_options_reach_the_order(storefront, upload, cube, run_jobs, sliced):
    offers = {"support_strategies": ["on"], "infill_strategies": ["15%", "80%"]}
    path, visitor = storefront(**offers, layer_thicknesses=[0.1]), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    visitor.send(f"{path}prices/")
    sliced()
    chosen = {"support_strategy": "on", "infill_strategy": "80%", "layer_thickness": "0.1"}

    page = visitor.send(f"{path}prices/", **chosen)["Location"]
    sliced()
    (fields,) = fields_of(visitor, page)
    to = visitor.send(f"{path}cart/", **fields, checkout="1")["Location"]

    form = visitor.get(to)
    assert "Ready by about" in main_of(form)
    assert "Layer height 0.1 mm, Infill 80 %, Supports: Always" in main_of(form)
    key = re.search(r'name="key" value="([^"]+)"', form.content.decode())[1]
    placed = visitor.send(to, key=key, **ADDRESS)
    assert placed.status_code == 303
    assert "Layer height 0.1 mm, Infill 80 %" in main_of(visitor.get(placed["Location"]))
    item = LineItem.objects.get()
    assert (item.support_strategy, item.infill_strategy, item.layer_thickness) == ("on", "80%", 0.1)
    settings = settings_of(Config.objects.get(pk=item.config_uri.split("/")[-2]))
    assert (settings["fill_density"], settings["layer_height"]) == ("80%", "0.1")


def test_part_chosen_with_other_options_replaces_it_and_can_be_removed(
    storefront, upload, cube, run_jobs, sliced
):
    path, visitor = storefront(infill_strategies=["80%"]), Browser()
    for _ in range(2):
        uploaded(visitor, path, upload, cube)
    run_jobs()
    pages = [
        visitor.send(f"{path}prices/", **options)["Location"]
        for options in ({}, {"infill_strategy": "80%"})
    ]
    sliced()
    first, second = (fields_of(visitor, page) for page in pages)

    visitor.send(f"{path}cart/", **first[0])
    visitor.send(f"{path}cart/", **second[1])
    both = main_of(visitor.get(f"{path}checkout/"))
    visitor.send(f"{path}cart/", **second[0] | second[1])
    replaced = main_of(visitor.get(f"{path}checkout/"))
    visitor.send(f"{path}cart/", remove="0")
    one = main_of(visitor.get(f"{path}checkout/"))

    assert (both.count("1 × cube"), both.count("Infill 80 %")) == (2, 1)
    assert (replaced.count("1 × cube"), replaced.count("Infill 80 %")) == (2, 2)
    assert (one.count("1 × cube"), one.count("Infill 80 %")) == (1, 1)


def fields_of(visitor: Browser, page: str) -> list[dict[str, str]]:
    """For each part, the fields that choose its first price."""
    shown = visitor.get(page).content.decode()
    table = re.search(r'name="table" value="([^"]+)"', shown)[1]
    first = dict(reversed(re.findall(r'name="(cell-[^"]+)" value="([^"]+\.\d+)"', shown)))
    return [{"table": table, name: at} for name, at in reversed(first.items())]


def test_print_option_that_is_not_offered_is_refused(storefront, upload, cube, run_jobs):
    path, visitor = storefront(infill_strategies=["15%"]), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()

    answer = visitor.send(f"{path}prices/", infill_strategy="99%")

    assert answer.status_code == 400
    assert "99%" in main_of(answer)


def test_foreign_vat_number_needs_a_review(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(review="instant"), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    key = prepared(visitor, path, sliced)

    visitor.send(f"{path}checkout/", key=key, **ADDRESS, vat_number="NL123456782B90")
    sliced()

    assert Order.objects.get().status == "new"


def test_quantity_beyond_the_limit_is_named(storefront, upload, cube, run_jobs):
    path, visitor = storefront(), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()

    answer = visitor.send(f"{path}prices/", quantity="99999")

    assert answer.status_code == 400
    assert "10000" in main_of(answer).replace(",", "")


def test_changed_cookie_and_ended_visit_lead_to_the_storefront(storefront):
    path, visitor = storefront(), Browser()
    visitor.cookies["visit"] = "../../x.key:secret"

    assert visitor.get(path).status_code == 200
    assert visitor.send(f"{path}prices/").status_code == 303
    assert visitor.send(f"{path}cart/", table="x").status_code == 303


def test_page_of_a_storefront_links_its_address(ada, storefront):
    path = storefront()
    row = re.search(
        r'href="(/storefront/[0-9a-f-]{36}/)"', ada.get("/storefront/").content.decode()
    )

    assert f'href="{path}"' in ada.get(row[1]).content.decode()
