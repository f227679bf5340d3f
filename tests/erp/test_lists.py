"""Lists over several bureaus: what they show is what one list of all would."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.erp.models import Bureau, LineItem, Material, Order
from core.api.lists import list_counts
from core.models import ServerError
from tests import schema_checks


@pytest.fixture
def materials(make) -> list[Material]:
    """Sixty of three bureaus, in no order; some have the same names."""
    chance = random.Random(4)
    bureaus = [make("bureau", name=name)["uri"].split("/")[-2] for name in "abc"]
    rows = [
        Material(bureau_id=chance.choice(bureaus), name=chance.choice("pqrst")) for _ in range(60)
    ]
    return Material.objects.bulk_create(rows)


def walk(client, path: str, query: dict) -> list[str]:
    """The URIs of all pages, by next."""
    found: list[str] = []
    page = client.get(path, query).json()
    while True:
        found += [row["uri"] for row in page["resources"]]
        if page["links"]["next"] is None:
            return found
        page = client.get(page["links"]["next"]).json()


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("-created", ["-uuid"]),
        ("created", ["uuid"]),
        ("name", ["name", "uuid"]),
        ("-name,created", ["-name", "uuid"]),
        ("-updated", ["-updated", "-uuid"]),
    ],
)
def test_pages_over_several_bureaus_are_in_sort_order(erp, materials, sort, order):
    expected = [row.uri for row in Material.objects.order_by(*order)]

    assert walk(erp, "/material/", {"sort": sort, "page[limit]": 7}) == expected


def test_page_starts_at_any_offset_and_links_to_the_previous_page(erp, materials):
    newest = [row.uri for row in Material.objects.order_by("-uuid")]

    page = erp.get("/material/", {"page[offset]": 20, "page[limit]": 10}).json()
    back = erp.get(page["links"]["prev"]).json()

    assert [row["uri"] for row in page["resources"]] == newest[20:30]
    assert [row["uri"] for row in back["resources"]] == newest[10:20]
    assert page["meta"] == {"count": 60}


def test_list_over_several_bureaus_can_be_filtered(erp, materials):
    one = Bureau.objects.get(name="b")
    found = Material.objects.filter(bureau=one, name__in=["p", "q"]).order_by("-uuid")

    query = {"filter[bureau]": one.uri, "filter[name]": "p,q"}
    answer = erp.get("/material/", query).json()

    assert [row["uri"] for row in answer["resources"]] == [row.uri for row in found]
    assert erp.get("/material/", {"filter[name]": "x"}).json()["resources"] == []


def test_resource_that_matches_several_filter_values_is_listed_once(
    erp, make, bureau, printer_type
):
    both = [make("material", bureau=bureau["uri"], name=name)["uri"] for name in "ab"]
    erp.put(printer_type["uri"], {"materials": both})

    for bureaus in (1, 2):
        answer = erp.get("/printer-type/", {"filter[materials]": ",".join(both)}).json()
        assert [row["uri"] for row in answer["resources"]] == [printer_type["uri"]]
        assert answer["resources"][0]["materials"] == sorted(both)
        assert answer["meta"] == {"count": 1}
        make("bureau", name=f"Another {bureaus}")


def test_list_leaves_out_a_row_that_cannot_be_shown_and_names_it(make, erp, bureau, monkeypatch):
    monkeypatch.setattr(schema_checks, "check", lambda *parts: None)  # it fails such a list
    bare = {"bureau": bureau["uri"], "quantity": 1, "no_model_upload": True}
    good, bad = (make("line-item", **bare, name=name)["uri"] for name in ("good", "bad"))
    LineItem.objects.filter(name="bad").update(review=["no object"])
    monkeypatch.setattr("apps.erp.orders.views.orders.priced_bureaus", lambda caller: set())

    answer = erp.get("/line-item/")

    assert answer.status_code == 200
    body = answer.json()
    assert [row["uri"] for row in body["resources"]] == [good]
    (error,) = body["meta"]["errors"]
    assert (error["code"], error["details"]) == ("not-representable", {"uri": bad})
    assert body["meta"]["count"] == 2
    assert ServerError.objects.get().exception.startswith("TypeError")


@pytest.mark.parametrize("cap", [3, 100])
def test_statuses_are_counted_by_one_statement_below_and_above_the_cap(
    erp, bureau, person, monkeypatch, cap
):
    statuses = ["new"] * 2 + ["confirmed"] * 5 + ["complete"] * 4
    key = bureau["uri"].split("/")[-2]
    Order.objects.bulk_create(
        Order(bureau_id=key, name="Gear", status=status, number=number, creator=person)
        for number, status in enumerate(statuses, 1)
    )
    monkeypatch.setattr(list_counts, "COUNT_CAP", cap)

    def counts(query: str, *, expected: int) -> tuple[dict, dict]:
        with CaptureQueriesContext(connection) as statements:
            meta = erp.get(f"/order/?count_by=status&{query or 'page[limit]=1'}").json()["meta"]
        texts = [each["sql"].lower() for each in statements]
        counting = [text for text in texts if "count(*)" in text]
        assert len(counting) == expected
        named = meta.pop("counts")
        return meta, {status: count for status, count in named.items() if count}

    meta, counted = counts("", expected=1 if cap == 100 else 2)
    if cap == 100:
        assert (meta, counted) == ({"count": 11}, {"new": 2, "confirmed": 5, "complete": 4})
        # A list that ends with its first page is counted from its rows.
        assert counts("page[limit]=11", expected=0) == (meta, counted)
        assert counts("search[name]=other", expected=0) == ({"count": 0}, {})
        assert counts("filter[status]=new&page[limit]=2", expected=1) == ({"count": 2}, counted)
    else:
        assert meta["count_estimated"] is True
        assert counted["new"] == 2
        assert all(counted[status] > cap for status in ("confirmed", "complete"))


def test_lists_over_several_bureaus_are_counted_by_status(erp, make, person):
    for bureau, statuses in (("a", ["new", "complete"]), ("b", ["new"])):
        key = make("bureau", name=bureau)["uri"].split("/")[-2]
        for number, status in enumerate(statuses, 1):
            values = {"name": "Gear", "status": status, "creator": person}
            Order.objects.create(bureau_id=key, number=number, **values)

    with CaptureQueriesContext(connection) as statements:
        answer = erp.get("/order/?count_by=status&filter[status]=new").json()

    assert answer["meta"]["count"] == 2
    counts = {status: count for status, count in answer["meta"]["counts"].items() if count}
    assert counts == {"new": 2, "complete": 1}
    assert sum("count(*)" in each["sql"].lower() for each in statements) == 1
