"""What old clients send and ask: taken, kept and shown, or taken and ignored."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.models import LineItem
from tests.erp.conftest import key_of

TEXTS = [
    "sales_status",
    "business_segment",
    "channel_representative",
    "order_type",
    "quote_number",
    "region",
    "sales_representative",
]
BANNER = {"message": "Closed until Monday", "link": "https://parts.example/news"}


def test_bureau_stores_its_order_banner_and_merges_changes(make, erp):
    bureau = make("bureau", name="Parts", order_banner=BANNER)

    assert bureau["order_banner"] == BANNER
    assert erp.put(bureau["uri"], {"order_banner": {"message": "Open"}}).status_code == 204
    told = erp.get(bureau["uri"]).json()["order_banner"]
    assert told == {**BANNER, "message": "Open"}


def test_printer_stores_its_modeler(make, location, printer_type, erp):
    names = {"location": location["uri"], "printer_type": printer_type["uri"], "name": "5"}

    printer = make("printer", **names, modeler="M3")

    assert erp.get(printer["uri"]).json()["modeler"] == "M3"


def test_post_processor_stores_its_duration(make, erp, post_processor):
    assert post_processor["duration"] is None
    assert erp.put(post_processor["uri"], {"duration": 90}).status_code == 204
    assert erp.get(post_processor["uri"]).json()["duration"] == 90


@pytest.mark.parametrize("itar", [True, False, None])
def test_line_item_stores_its_itar_flag(make, erp, bureau, itar):
    item = make("line-item", bureau=bureau["uri"], quantity=1, no_model_upload=True, itar=itar)

    assert erp.get(item["uri"]).json()["itar"] is itar


def test_order_stores_its_sales_fields_and_filters_by_region(make, erp, bureau):
    said = {name: f"the {name}" for name in TEXTS}

    order = make("order", bureau=bureau["uri"], name="17", **said)

    told = erp.get(order["uri"]).json()
    assert {name: told[name] for name in TEXTS} == said
    assert erp.put(order["uri"], {"region": "north"}).status_code == 204
    listed = erp.get("/order/", {"filter[region]": "north"}).json()["resources"]
    assert [one["uri"] for one in listed] == [order["uri"]]


@pytest.mark.parametrize("nothing", [None, ""])
def test_order_text_fields_accept_null_and_empty_string(make, erp, bureau, nothing):
    shipping = {"address": nothing, "name": nothing, "tracking": nothing, "uri": None}
    said = dict.fromkeys([*TEXTS, "notes", "customer_name", "customer_email"], nothing)

    order = make("order", bureau=bureau["uri"], name="17", shipping=shipping, **said)

    assert erp.put(order["uri"], {"shipping": shipping, **said}).status_code == 204


def test_material_ignores_units(make, bureau):
    material = make("material", bureau=bureau["uri"], name="PA 12", units="cc")

    assert "units" not in material


def test_permission_ignores_resource_name(client_of, person, bureau, stranger):
    users = client_of("users", person)
    body = {"holder": stranger.uri, "namespace": "erp", "object": bureau["uri"]}

    made = users.post(
        "/permissions/", {**body, "right": "material.all", "resource_name": "Parts & Sons"}
    )

    assert made.status_code == 201
    asked = {"filter[resource_name]": "anything", "filter[holder]": stranger.uri}
    listed = users.get("/permissions/", asked).json()["resources"]
    assert [one["uri"] for one in listed] == [made["Location"]]


# ---------------------------------------------------------------- roles


def roles(client) -> list[tuple[str, str | None, str]]:
    told = client.get("/role/").json()["resources"]
    return [(one["bureau"], one["location"], one["role"]) for one in told]


def test_role_list_contains_the_role_of_the_user_in_each_bureau(
    client_of, erp, make, person, stranger, operator, bureau, location
):
    bob, root = client_of("erp", stranger), client_of("erp", operator)
    assert roles(erp) == [(bureau["uri"], None, "manager")]
    assert roles(root) == [(bureau["uri"], None, "manager")]
    assert roles(bob) == []

    make("membership-location", location=location["uri"], user=stranger.uri)
    assert roles(bob) == [(bureau["uri"], location["uri"], "restricted")]
    make("membership-bureau", bureau=bureau["uri"], user=stranger.uri)
    assert roles(bob) == [(bureau["uri"], None, "global-user")]

    (role,) = bob.get("/role/", {"filter[role]": "global-user"}).json()["resources"]
    assert bob.get(role["uri"]).json() == role
    assert role["username"] == "bob"
    assert bob.delete(role["uri"]).status_code == 405
    assert bob.get("/role/", {"filter[role]": "manager"}).json()["meta"] == {"count": 0}


# ---------------------------------------------------------------- lists


def test_orders_are_sorted_by_due_date_and_priority(make, erp, bureau):
    soon = timezone.now() + timedelta(days=1)
    for at, (days, priority) in enumerate([(2, 1), (1, 3), (3, 2)]):
        make(
            "order",
            bureau=bureau["uri"],
            name=str(at),
            due_date=(soon + timedelta(days=days)).isoformat(),
            priority=priority,
        )

    def order(by: str) -> str:
        return "".join(one["name"] for one in erp.get(f"/order/?sort={by}").json()["resources"])

    assert (order("due_date"), order("-due_date")) == ("102", "201")
    assert (order("priority"), order("-priority")) == ("021", "120")


def test_process_steps_and_pieces_are_sorted_by_their_numbers(erp, workflow, confirm):
    confirm(quantity=3)

    steps = erp.get("/process-step/?sort=-step_position").json()["resources"]
    pieces = erp.get("/piece/?sort=number").json()["resources"]

    assert [step["step_position"] for step in steps] == [3, 2, 1]
    assert [piece["number"] for piece in pieces] == [1, 2, 3]


# ---------------------------------------------------------------- an order's status


@pytest.fixture
def ordered(make, bureau, person):
    """`ordered("pending", "complete")`: an order with line items in these states."""

    def make_one(*states: str) -> tuple[dict, list[LineItem]]:
        order = make("order", bureau=bureau["uri"], name="17")
        items = [
            LineItem.objects.create(
                bureau_id=key_of(bureau),
                order_id=key_of(order),
                no_model_upload=True,
                status=state,
                creator=person,
            )
            for state in states
        ]
        return order, items

    return make_one


def states(erp, items: list[LineItem]) -> list[str]:
    return [erp.get(item.uri).json()["status"] for item in items]


def test_cancelling_an_order_cancels_all_its_line_items(erp, ordered):
    order, items = ordered("pending", "cancelled", "calculating_estimates", "pending")
    assert erp.put(items[3].uri, {"status": "confirmed"}).status_code == 204

    assert erp.put(order["uri"], {"status": "cancelled"}).status_code == 204

    assert states(erp, items) == ["cancelled"] * 4
    assert erp.get(order["uri"]).json()["status"] == "cancelled"
    assert erp.put(order["uri"], {"status": "cancelled"}).status_code == 204


def test_order_with_uncancellable_line_items_is_not_changed_by_cancelling(erp, ordered):
    order, items = ordered("pending", "complete", "printing")

    answer = erp.put(order["uri"], {"status": "cancelled", "notes": "changed"})

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert error["code"] == "illegal-transition"
    assert error["details"]["line_items"] == [items[1].uri, items[2].uri]
    assert states(erp, items) == ["pending", "complete", "printing"]
    assert erp.get(order["uri"]).json()["notes"] in ("", None)


def test_order_status_accepts_only_cancelled_or_a_value_read_before(erp, ordered):
    order, items = ordered("pending")
    before = erp.get(order["uri"]).json()

    assert erp.put(order["uri"], {"status": "new"}).status_code == 204
    for status in ("confirmed", "in-progress", "complete"):
        answer = erp.put(order["uri"], {"status": status})
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["code"]) == (409, "illegal-transition")
    assert erp.put(items[0].uri, {"status": "confirmed"}).status_code == 204
    assert erp.put(order["uri"], before).status_code == 204
    assert erp.get(order["uri"]).json()["status"] == "confirmed"


def test_order_without_line_items_cannot_be_cancelled(erp, ordered):
    order, _ = ordered()

    answer = erp.put(order["uri"], {"status": "cancelled"})

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "illegal-transition"


# ---------------------------------------------------------------- rates


def test_rates_are_limited_to_six_decimal_places(make, erp, bureau):
    body = {"bureau": bureau["uri"], "name": "PA 12"}

    assert make("material", **body, cost=0.123456)["cost"] == 0.123456
    answer = erp.post("/material/", {**body, "cost": 0.1234567})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "cost")
