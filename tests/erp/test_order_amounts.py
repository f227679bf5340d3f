"""Stored net amounts of orders: the database sets them as line items and quotes change."""

from decimal import Decimal
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some

from apps.erp.models import LineItem, Order, Quote
from tests.rows import row_of

pytestmark = pytest.mark.django_db
ORDERS = 3
amounts = some.none() | some.integers(0, 10**12).map(lambda cents: cents / 10_000)
priced = some.fixed_dictionaries(
    {
        "order": some.none() | some.integers(0, ORDERS - 1),
        "status": some.sampled_from(["pending", "confirmed", "cancelled"]),
        "price": some.none() | amounts.map(lambda net: {"net": net}),
        "estimates": some.none() | amounts.map(lambda cost: {"cost": {"amount": cost}}),
    }
)
offered = some.fixed_dictionaries(
    {
        "order": some.integers(0, ORDERS - 1),
        "status": some.sampled_from(["open", "accepted", "withdrawn"]),
        "net": amounts,
        "amount": amounts,
    }
)
places = some.integers(0, 20)  # of the row that is changed, among those that are there
changes = some.lists(
    some.one_of(
        some.tuples(some.just(LineItem), some.just("insert"), some.lists(priced, max_size=3)),
        some.tuples(some.just(LineItem), places, priced),
        some.tuples(some.just(Quote), some.just("insert"), some.lists(offered, max_size=1)),
        some.tuples(some.just(Quote), places, offered),
        some.tuples(some.sampled_from([LineItem, Quote]), places, some.none()),
    ),
    max_size=15,
)


def expected(order: Order) -> Decimal | None:
    """Return the net amount of an order, computed from its rows."""
    quotes = order.quotes.exclude(status="withdrawn").order_by("-pk")
    offers = [quote.amount if quote.net is None else quote.net for quote in quotes[:1]]
    if offers and offers[0] is not None:
        return offers[0]
    items = order.line_items.exclude(status="cancelled")
    nets = [((row.price or {}).get("net"), row.estimates) for row in items]
    costs = [(cost or {"cost": {"amount": None}})["cost"]["amount"] for _net, cost in nets]
    sold = [cost if net is None else net for (net, _), cost in zip(nets, costs, strict=True)]
    terms = [Decimal(str(each)) for each in sold if each is not None]
    return sum(terms, Decimal()) if terms else None


@settings(
    max_examples=60,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(changes=changes)
def test_stored_amount_is_that_of_line_items_and_quotes(changes):
    bureau = row_of(Order).bureau
    orders = [row_of(Order, bureau=bureau) for _ in range(ORDERS)]
    common = {"bureau": bureau, "creator": orders[0].creator}

    def values_of(kind: type, values: dict) -> dict:
        order = None if values["order"] is None else orders[values["order"]]
        if kind is Quote and values["status"] == "open":
            Quote.objects.filter(order=order, status="open").update(status="withdrawn")
        return {**common, **values, "order": order}

    for kind, place, content in changes:
        rows = list(kind.objects.filter(bureau=bureau).order_by("pk"))
        if place == "insert":
            more = {} if kind is LineItem else {"currency": "EUR", "expires": orders[0].created}
            kind.objects.bulk_create([kind(**values_of(kind, each), **more) for each in content])
        elif rows and content is None:
            kind.objects.filter(pk=rows[place % len(rows)].pk).delete()
        elif rows:
            kind.objects.filter(pk=rows[place % len(rows)].pk).update(**values_of(kind, content))

        for order in orders:
            order.refresh_from_db()
            assert order.net == expected(order)


def test_many_line_items_of_a_statement_set_each_order():
    first, second = row_of(Order), row_of(Order)
    rows = [
        LineItem(bureau=order.bureau, order=order, creator=order.creator, price={"net": 2.5})
        for order in (first, second) * 4
    ]
    LineItem.objects.bulk_create(rows)

    LineItem.objects.filter(order=first).update(price={"net": 3})

    nets = dict(Order.objects.values_list("pk", "net"))
    assert (nets[first.pk], nets[second.pk]) == (12, 10)
    LineItem.objects.all().update(order=second)
    nets = dict(Order.objects.values_list("pk", "net"))
    assert (nets[first.pk], nets[second.pk]) == (None, 22)


def test_status_and_plan_of_a_line_item_do_not_write_its_order():
    order = row_of(Order)
    values = {"bureau": order.bureau, "order": order, "creator": order.creator}
    LineItem.objects.create(**values, price={"net": 2.5}, status="confirmed")

    def version() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SELECT ctid, xmax FROM erp_order WHERE uuid = %s", [order.pk])
            return str(cursor.fetchone())

    before = version()

    LineItem.objects.update(status="printing", position=3, hold=True)

    assert version() == before


def test_sum_that_no_column_holds_is_no_amount():
    order = row_of(Order)
    values = {"bureau": order.bureau, "order": order, "creator": order.creator}

    LineItem.objects.create(**values, estimates={"cost": {"amount": 1e300}})

    order.refresh_from_db()
    assert order.net is None


def test_migration_sets_amounts_of_orders_in_batches(monkeypatch):
    migration = import_module("apps.erp.migrations.0056_order_amounts")
    monkeypatch.setattr(migration, "BATCH", 2)
    orders = [row_of(Order) for _ in range(5)]
    for order in orders:
        values = {"bureau": order.bureau, "order": order, "creator": order.creator}
        LineItem.objects.create(**values, price={"net": 2.5})
    Order.objects.update(net=None)

    migration.fill(None, SimpleNamespace(connection=connection))

    assert [*Order.objects.values_list("net", flat=True)] == [Decimal("2.5")] * 5
