"""A customer orders the parts of an order again, by the secret link of the order."""

import re
from uuid import uuid4

from apps.erp.models import LineItem, Storefront
from apps.sales.models import Visit
from apps.warehouse.models import Model
from tests.console.test_storefront import ADDRESS, fields_of, uploaded
from tests.console.visitor import Browser, main_of, text_of


def bought(visitor: Browser, path: str, upload, cube, run_jobs, sliced, **options) -> str:
    """The page of an order of five cubes with print options."""
    uploaded(visitor, path, upload, cube)
    run_jobs()
    page = visitor.send(f"{path}prices/", quantity="7", **options)["Location"]
    sliced()
    (fields,) = fields_of(visitor, page)
    (name,) = (name for name in fields if name.startswith("cell-"))
    shown = visitor.get(page).content.decode()
    seven = re.findall(rf'name="{name}" value="([^"]+)"', shown)[2]
    to = visitor.send(f"{path}cart/", **fields | {name: seven}, checkout="1")["Location"]
    key = re.search(r'name="key" value="([^"]+)"', visitor.get(to).content.decode())[1]
    return visitor.send(to, key=key, **ADDRESS)["Location"].partition("?")[0]


def again(visitor: Browser, page: str):
    """The answer to the button of the order's page, pressed by a visitor."""
    shown = visitor.get(page).content.decode()
    form = re.search(r'action="(/s/parts/reorder/)">(.*?)</form>', shown, re.DOTALL)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]+)"', form[2]))
    return visitor.send(form[1], **fields)


def test_parts_are_ordered_again_with_their_options_by_another_browser(
    storefront, upload, cube, run_jobs, sliced
):
    path = storefront(review="instant", infill_strategies=["80%"])
    order = (upload, cube, run_jobs, sliced)
    page = bought(Browser(), path, *order, infill_strategy="80%")
    visitor = Browser()

    answer = again(visitor, page)

    assert answer["Location"] == f"{path}?done=reordered"
    sliced()
    checkout = visitor.get(f"{path}checkout/")
    assert "7 × cube" in main_of(checkout)
    assert "Infill 80 %" in main_of(checkout)
    key = re.search(r'name="key" value="([^"]+)"', checkout.content.decode())[1]
    assert visitor.send(f"{path}checkout/", key=key, **ADDRESS).status_code == 303
    first, second = LineItem.objects.order_by("pk")
    assert (second.quantity, second.infill_strategy) == (7, "80%")
    assert second.model_uri != first.model_uri
    one, other = Model.objects.order_by("pk")
    assert (one.canonical, one.analyses) == (other.canonical, other.analyses)
    assert one.owner != other.owner


def test_earlier_cart_of_the_visitor_stays(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(review="instant"), Browser()
    page = bought(visitor, path, upload, cube, run_jobs, sliced)
    uploaded(visitor, path, upload, cube)
    run_jobs()
    prices = visitor.send(f"{path}prices/")["Location"]
    sliced()
    visitor.send(f"{path}cart/", **fields_of(visitor, prices)[1])

    again(visitor, page)

    sliced()
    shown = main_of(visitor.get(f"{path}checkout/"))
    assert ("1 × cube" in shown, "7 × cube" in shown) == (True, True)
    assert Visit.objects.count() == 1


def test_part_whose_file_is_gone_is_named(storefront, upload, cube, run_jobs, sliced):
    path = storefront(review="instant")
    page = bought(Browser(), path, upload, cube, run_jobs, sliced)
    Model.objects.update(deleted="2026-01-01T00:00Z")
    visitor = Browser()

    answer = again(visitor, page)

    assert answer.status_code == 200
    assert "cube The file is no longer stored" in main_of(answer)
    assert visitor.get(f"{path}checkout/").status_code == 303  # nothing is in the cart


def test_part_that_is_not_offered_any_more_is_named(storefront, upload, cube, run_jobs, sliced):
    path = storefront(review="instant", infill_strategies=["80%"])
    page = bought(Browser(), path, upload, cube, run_jobs, sliced, infill_strategy="80%")
    Storefront.objects.update(infill_strategies=[])

    answer = again(Browser(), page)

    assert "are not offered any more" in main_of(answer)
    assert Model.objects.count() == 1


def test_model_of_the_shop_is_never_copied(storefront, upload, cube, run_jobs, sliced, person):
    path = storefront(review="instant")
    page = bought(Browser(), path, upload, cube, run_jobs, sliced)
    Model.objects.update(owner=person)

    answer = again(Browser(), page)

    assert "The file is no longer stored" in main_of(answer)
    assert Model.objects.count() == 1


def test_unknown_token_is_refused(storefront):
    path = storefront()

    answer = Browser().send(f"{path}reorder/", token="x", key=str(uuid4()))

    assert answer.status_code == 404
    assert "wrong" in text_of(answer)


def test_part_whose_file_was_replaced_is_ordered_again(storefront, upload, cube, run_jobs, sliced):
    page = bought(Browser(), storefront(review="always"), upload, cube, run_jobs, sliced)
    LineItem.objects.update(price=None)  # as after a new file, whose price is another

    answer = again(Browser(), page)

    assert answer.status_code == 303
    assert Model.objects.count() == 2
