"""Order numbers: per bureau, from 1 in the order of creation, without gaps."""

from importlib import import_module

import pytest
from django.db import connection, transaction

from apps.erp.models import Bureau, Order
from tests.erp.conftest import key_of
from tests.erp.test_confirm_concurrently import in_threads

CROWD = 8


def numbers(erp, query: str = "sort=created") -> list[int]:
    return [order["number"] for order in erp.get(f"/order/?{query}").json()["resources"]]


def test_orders_of_each_bureau_are_numbered_from_one(erp, make, bureau):
    other = make("bureau", name="Others")

    made = [make("order", bureau=each["uri"], name="Gear") for each in (bureau, bureau, other)]

    assert [order["number"] for order in made] == [1, 2, 1]
    assert [erp.get(order["uri"]).json()["number"] for order in made] == [1, 2, 1]


def test_the_number_of_a_deleted_order_is_not_used_again(erp, make, bureau):
    first, last = (make("order", bureau=bureau["uri"], name="Gear") for _ in range(2))
    assert erp.delete(last["uri"]).status_code == 204

    assert make("order", bureau=bureau["uri"], name="Gear")["number"] == 3
    assert first["number"] == 1


def test_a_creation_that_is_rolled_back_leaves_no_gap(make, bureau):
    make("order", bureau=bureau["uri"], name="Gear")
    with transaction.atomic():
        assert make("order", bureau=bureau["uri"], name="Gear")["number"] == 2
        transaction.set_rollback(True)

    assert make("order", bureau=bureau["uri"], name="Gear")["number"] == 2


def test_number_is_read_only_and_may_be_sent_back(erp, make, bureau):
    order = make("order", bureau=bureau["uri"], name="Gear")

    assert erp.put(order["uri"], order | {"number": 7}).status_code == 204

    assert erp.get(order["uri"]).json()["number"] == 1


def test_lists_are_filtered_and_sorted_by_number(erp, make, bureau):
    for _ in range(3):
        make("order", bureau=bureau["uri"], name="Gear")

    assert numbers(erp, "filter[number]=2") == [2]
    assert numbers(erp, "filter[number]>=2&sort=-number") == [3, 2]
    assert erp.get("/order/?filter[number]=two").status_code == 400


@pytest.mark.django_db(transaction=True)
def test_concurrent_creations_have_different_numbers(client_of, bureau, person):
    def create(_: int) -> None:
        body = {"bureau": bureau["uri"], "name": "Gear"}
        assert client_of("erp", person).post("/order/", body).status_code == 201

    in_threads(create, CROWD)

    made = Order.objects.order_by("number").values_list("number", flat=True)
    assert list(made) == list(range(1, CROWD + 1))


def test_migration_numbers_existing_orders_by_age(erp, make, bureau):
    made = [make("order", bureau=bureau["uri"], name="Gear") for _ in range(3)]
    for n, order in enumerate(made):
        Order.objects.filter(pk=key_of(order)).update(number=100 - n)
    Bureau.objects.update(last_order_number=0)

    migration = import_module("apps.erp.migrations.0016_order_numbers")
    with connection.cursor() as cursor:
        cursor.execute(migration.NUMBER_OLD_ORDERS)

    assert numbers(erp) == [1, 2, 3]
    assert make("order", bureau=bureau["uri"], name="Gear")["number"] == 4
