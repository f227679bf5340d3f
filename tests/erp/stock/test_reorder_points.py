"""Reorder points of materials: levels, filters and notifications."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.actors import check_stock_levels
from apps.erp.models import Run, Stock
from apps.users.models import Notification
from tests.erp.conftest import key_of


@pytest.fixture
def level(erp, material):
    """`level()`: the stock level of the material."""
    return lambda: erp.get(material).json()["stock_level"]


@pytest.fixture
def messages(client_of, person):
    """`messages()`: what unread notifications say of the free amount."""

    def read() -> list[float]:
        query = {"filter[unread]": "true", "filter[kind]": "material-low"}
        rows = client_of("users", person).get("/notifications/", query).json()["resources"]
        return [row["data"]["free"] for row in rows]

    return read


def test_material_is_low_while_less_than_its_reorder_point_is_free(
    erp, material, lot_of, level, messages
):
    def use(amount: float) -> None:
        body = {"stock": lot["uri"], "kind": "use", "amount": -amount}
        assert erp.post("/stock-movement/", body).status_code == 201

    assert erp.put(material, {"reorder_point": 500}).status_code == 204
    lot = lot_of(700)
    assert (level(), messages()) == ("ok", [])

    use(200)
    assert level() == "ok"
    use(1)
    assert (level(), messages()) == ("low", [499])
    use(50)
    assert messages() == [499]

    assert lot_of(100)["level"] == "ok"
    assert (level(), messages()) == ("ok", [])
    assert Notification.objects.get(kind="material-low").subject == material


def test_reservations_of_runs_count(erp, material, lot_of, run_of, level, messages):
    lot_of(550)
    erp.put(material, {"reorder_point": 500})

    run = run_of(10)

    assert (level(), messages()) == ("low", [450])
    assert Run.objects.get(pk=key_of(run)).reservations.exists()
    assert erp.delete(run["uri"]).status_code == 204
    assert (level(), messages()) == ("ok", [])


def test_use_of_what_was_reserved_changes_no_level(
    erp, make, material, lot_of, run_of, machine, level, messages
):
    lot = lot_of(1000)
    erp.put(material, {"reorder_point": 850})
    assert erp.put(machine["uri"], {"loaded": [lot["uri"]]}).status_code == 204
    attempt = make("attempt", run=run_of(10)["uri"], printer=machine["uri"])
    assert (erp.get(lot["uri"]).json()["reserved"], level()) == (100, "ok")

    for status in ("printing", "done"):
        assert erp.put(attempt["uri"], {"status": status}).status_code == 204

    after = erp.get(lot["uri"]).json()
    assert (after["remaining"], after["reserved"], level()) == (900, 0, "ok")
    assert not Notification.objects.filter(kind="material-low").exists()


def test_level_follows_the_reorder_point_and_the_end_of_lots(erp, material, lot_of, level):
    lot = lot_of(300)
    erp.put(material, {"reorder_point": 400})
    assert level() == "low"
    erp.put(material, {"reorder_point": None})
    assert level() == "ok"
    erp.put(material, {"reorder_point": 400})
    assert level() == "low"
    assert erp.delete(lot["uri"]).status_code == 204
    assert level() == "ok"


def test_expired_lots_do_not_count(erp, material, lot_of, level, messages):
    lot_of(600)
    erp.put(material, {"reorder_point": 400})
    Stock.objects.update(expires=timezone.now() - timedelta(hours=1))

    check_stock_levels.fn()

    assert (level(), messages()) == ("low", [0])


def test_lots_are_filtered_and_counted_by_level(erp, make, bureau, location, material, lot_of):
    lot_of(300)
    erp.put(material, {"reorder_point": 400})
    other = make("material", bureau=bureau["uri"], name="PETG")["uri"]
    make("stock", location=location["uri"], material=other, initial=1)

    low = erp.get("/stock/?filter[level]=low&count_by=level").json()

    assert [(row["material"], row["level"]) for row in low["resources"]] == [(material, "low")]
    assert low["meta"]["counts"] == {"ok": 1, "low": 1}
    assert erp.get("/material/?filter[stock_level]=low").json()["meta"]["count"] == 1


@pytest.mark.parametrize("value", [0, -1, "much"])
def test_invalid_reorder_point_is_refused(erp, material, value):
    answer = erp.put(material, {"reorder_point": value})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "reorder_point"
    assert erp.put(material, {"stock_level": "low"}).status_code == 400
