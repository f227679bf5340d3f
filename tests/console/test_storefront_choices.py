"""A visitor of a storefront chooses finishes, and options of each part."""

import re

import pytest
from django.utils import timezone

from apps.erp.models import LineItem, Material, Order, PostProcessorType, PriceTable
from tests.console.test_storefront import ADDRESS, fields_of, prepared, uploaded
from tests.console.visitor import Browser, main_of

ORIGIN = "http://platform.test"


@pytest.fixture
def finishes(storefront, client_of, person):
    """The path of a storefront with a finish that a workflow makes, and one that none makes."""
    erp = client_of("erp", person)

    def make(kind: str, **body) -> str:
        made = erp.post(f"/{kind}/", body)
        assert made.status_code == 201, made.json()
        return made.json()["uri"]

    path = storefront(review="instant")
    (front,) = erp.get("/storefront/").json()["resources"]
    bureau = front["bureau"]
    dyed, plated = (make("post-processor-type", bureau=bureau, name=n) for n in ("Dyed", "Plated"))
    for name, kind, amount in (("Dyeing", dyed, 3), ("Plating", plated, 9)):
        term = {"price_list": front["price_list"], "step": "finish", "unit": "piece", "name": name}
        make("price-term", **term, amount=amount, post_processor_types=[kind])
    (printer_type,) = erp.get("/printer-type/").json()["resources"]
    workflow = make("workflow", bureau=bureau, name="Print and dye")
    for position, process in enumerate((printer_type["uri"], dyed), 1):
        make("process-step", workflow=workflow, step_position=position, process_type=process)
    offered = {"post_processor_types": [dyed, plated]}
    assert erp.put(front["uri"], offered).status_code == 204
    return path


def test_price_of_the_only_part_is_chosen_in_advance(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(review="instant"), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    page = visitor.send(f"{path}prices/")["Location"]
    before = visitor.get(page).content.decode()
    assert " checked" not in before  # no price is final
    assert before.count(" disabled>") == 2  # to the cart, and to the checkout
    sliced()

    shown = visitor.get(page).content.decode()

    assert " disabled>" not in shown
    assert len(re.findall(r'value="[^"]+\.0" id="[^"]+" checked', shown)) == 1
    assert shown.count(" checked") == 1
    uploaded(visitor, path, upload, cube + b" ")
    run_jobs()
    assert " checked" not in visitor.get(page).content.decode()


def test_chosen_finish_reaches_cart_order_and_label(
    finishes, upload, cube, run_jobs, sliced, ada, client_of, person
):
    path, visitor = finishes, Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    page = visitor.send(f"{path}prices/")["Location"]
    sliced()
    shown = visitor.get(page)
    assert "Dyed" in main_of(shown)
    assert "Plated" not in main_of(shown)
    assert "+ 3.57 EUR" in main_of(shown)  # with 19 % of tax
    dyed = shown.content.decode().partition("Dyed")[2]
    name, value = re.search(r'name="(cell-[^"]+)" value="([^"]+)"', dyed).groups()
    table = value.partition(".")[0]

    to = visitor.send(f"{path}cart/", **{"table": table, name: value, "checkout": "1"})["Location"]

    form = visitor.get(to)
    assert "PLA, Dyed" in main_of(form)
    key = re.search(r'name="key" value="([^"]+)"', form.content.decode())[1]
    placed = visitor.send(to, key=key, **ADDRESS)["Location"]
    assert "PLA, Dyed" in main_of(visitor.get(placed))
    sliced()
    item = LineItem.objects.get()
    assert (item.workflow.name, item.status) == ("Print and dye", "confirmed")
    labels = client_of("erp", person).get(f"/order/{item.order.pk}/traveller/")
    assert "PLA, Dyed" in labels.content.decode()


def test_finish_that_no_workflow_makes_cannot_be_chosen(finishes, upload, cube, run_jobs, sliced):
    path, visitor = finishes, Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    page = visitor.send(f"{path}prices/")["Location"]
    sliced()
    table = re.search(r"table=([0-9a-f-]+)", page)[1]
    price_table = PriceTable.objects.get(pk=table)
    (plated,) = PostProcessorType.objects.filter(name="Plated")
    at = next(n for n, each in enumerate(price_table.cells) if each["finish"] == [plated.uri])
    assert price_table.cells[at]["net"] is not None

    answer = visitor.send(f"{path}cart/", **{"table": table, "cell-x": f"{table}.{at}"})

    assert answer.status_code == 400
    assert "has no price" in main_of(answer)


def test_each_part_has_options_of_its_own(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(infill_strategies=["15%", "80%"]), Browser()
    for _ in range(2):
        uploaded(visitor, path, upload, cube)
    run_jobs()
    page = visitor.send(f"{path}prices/")["Location"]
    shown = visitor.get(page).content.decode()
    (table,) = set(re.findall(r'name="table" value="([^"]+)"', shown))
    first, second = re.findall(r'id="remove-([^"]+)"', shown)

    wish = {"part": second, "infill_strategy": "80%", "quantity": "7"}
    page = visitor.send(f"{path}prices/", table=table, **wish)["Location"]
    sliced()

    shown = visitor.get(page).content.decode()
    keys = re.findall("table=([^&]+)", page)
    assert (len(keys), keys[1]) == (2, table)
    assert re.findall(rf'name="cell-{first}" value="([^.]+)', shown)[0] == table
    assert re.findall(rf'name="cell-{second}" value="([^.]+)', shown)[0] == keys[0]
    chosen = {
        f"cell-{part}": re.findall(rf'name="cell-{part}" value="([^"]+)"', shown)[at]
        for part, at in ((first, 0), (second, 2))
    }
    visitor.post(f"{path}cart/", {"table": keys, **chosen}, headers={"origin": ORIGIN})
    checkout = main_of(visitor.get(f"{path}checkout/"))
    assert ("1 × cube" in checkout, "7 × cube" in checkout) == (True, True)
    assert checkout.count("Infill 80 %") == 1
    assert "Infill 80 %" in checkout.partition("7 × cube")[2]


def test_removed_part_leaves_others_with_their_own_options_in_the_cart(
    storefront, upload, cube, run_jobs, sliced
):
    path, visitor = storefront(infill_strategies=["80%"]), Browser()
    for _ in range(2):
        uploaded(visitor, path, upload, cube)
    run_jobs()
    parts = re.findall(r'id="remove-([^"]+)"', visitor.get(path).content.decode())
    pages = [visitor.send(f"{path}prices/", part=part)["Location"] for part in parts]
    sliced()
    for page in pages:
        (fields,) = fields_of(visitor, page)
        visitor.send(f"{path}cart/", **fields)

    visitor.send(f"{path}file/{parts[0]}/")

    assert main_of(visitor.get(f"{path}checkout/")).count("1 × cube") == 1


def test_wished_date_reaches_the_order_and_lateness_is_shown_before(
    storefront, upload, cube, run_jobs, sliced
):
    path, visitor = storefront(), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    to, key = f"{path}checkout/", prepared(visitor, path, sliced)
    today = timezone.now().date()
    wish = {"key": key, **ADDRESS, "needed_by": today.isoformat()}

    over = visitor.send(to, **wish | {"needed_by": "2020-01-31"})
    late = visitor.send(to, **wish)

    assert (over.status_code, late.status_code) == (400, 400)
    assert "in the past" in main_of(over)
    assert "later than this date" in main_of(late)
    assert not Order.objects.exists()
    assert visitor.send(to, **wish, is_late_accepted="on").status_code == 303
    assert Order.objects.get().due_date.date() == today


def test_parts_are_shown_in_the_color_of_their_material(storefront, upload, cube, run_jobs, sliced):
    path, visitor = storefront(review="instant"), Browser()
    Material.objects.update(color="#1798a5")
    uploaded(visitor, path, upload, cube)
    run_jobs()
    key = prepared(visitor, path, sliced)

    cart = visitor.get(f"{path}checkout/").content.decode()
    placed = visitor.send(f"{path}checkout/", key=key, **ADDRESS)["Location"]
    order = Browser().get(placed).content.decode()

    for page in (cart, order):
        assert re.search(
            r'<svg class="thumb[^>]+><filter id="tint-1798a5".+<image href="http', page
        )
