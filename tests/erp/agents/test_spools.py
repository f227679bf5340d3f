"""A lot whose amount is kept in the shop's Spoolman as well."""

import pytest

from tests.erp.stock.conftest import book, lot_of, material

__all__ = ["book", "lot_of", "material"]


@pytest.fixture
def compare(agent):
    """`compare(7, 512.5)`: the agent tells what Spoolman says; what it is to write of each."""

    def exchange(spool: int | None = None, left: float | None = None, **more) -> dict:
        told = [] if spool is None else [{"id": spool, "left": left}]
        answer = agent.post("/agent/spools/", {"spools": told, **more})
        assert answer.status_code == 200, answer.json()
        return {one["id"]: one["left"] for one in answer.json()["spools"]}

    return exchange


def test_spool_exchange_lists_spools_of_lots_at_the_agents_location(
    compare, lot_of, make, erp, bureau, material
):
    lot_of(1000)
    lot_of(1000, spoolman_id=7)
    elsewhere = make("location", bureau=bureau["uri"], name="Elsewhere")
    make("stock", location=elsewhere["uri"], material=material, spoolman_id=8)

    assert compare() == {7: None}


def test_spool_exchange_writes_consumption_to_spoolman(compare, lot_of, book, erp):
    lot = lot_of(1000, spoolman_id=7)
    assert compare(7, 1000) == {7: None}

    erp.post("/stock-movement/", {"stock": lot["uri"], "kind": "use", "amount": -120.5})

    assert compare(7, 1000) == {7: 879.5}
    assert compare(7, 1000) == {7: 879.5}  # it was not written
    assert compare(7, 879.5) == {7: None}
    assert book(lot) == [["receipt", 1000], ["use", -120.5]]


def test_spool_exchange_books_changes_made_in_spoolman_as_corrections(compare, lot_of, book, erp):
    lot = lot_of(1000, spoolman_id=7)
    compare(7, 1000)
    erp.post("/stock-movement/", {"stock": lot["uri"], "kind": "use", "amount": -100})

    assert compare(7, 950) == {7: None}

    assert book(lot) == [["receipt", 1000], ["use", -100], ["correction", 50]]
    last = erp.get("/stock-movement/", {"filter[source]": "spoolman"}).json()["resources"]
    assert [(row["amount"], row["notes"]) for row in last] == [(50, "Spoolman says so.")]
    assert erp.get(lot["uri"]).json()["remaining"] == 950


def test_spool_exchange_adopts_spoolman_amount_when_the_agent_cannot_write(compare, lot_of, erp):
    lot = lot_of(1000, spoolman_id=7)
    compare(7, 1000, writes=False)
    erp.post("/stock-movement/", {"stock": lot["uri"], "kind": "use", "amount": -100})

    assert compare(7, 1000, writes=False) == {7: None}
    assert erp.get(lot["uri"]).json()["remaining"] == 1000


def test_spool_exchange_books_initial_amount_of_an_uncounted_lot(
    compare, make, erp, location, material
):
    lot = make("stock", location=location["uri"], material=material, spoolman_id=7)

    compare(7, None)
    compare(7, 0)
    assert erp.get(lot["uri"]).json()["initial"] is None
    compare(7, 812.345)

    told = erp.get(lot["uri"]).json()
    assert (told["initial"], told["remaining"]) == (812.345, 812.345)


def test_spool_exchange_writes_zero_for_an_overdrawn_lot(compare, lot_of, erp):
    lot = lot_of(100, spoolman_id=7)
    compare(7, 100)
    erp.post("/stock-movement/", {"stock": lot["uri"], "kind": "use", "amount": -130})

    assert compare(7, 100) == {7: 0}
    assert compare(7, 0) == {7: None}
    assert erp.get(lot["uri"]).json()["remaining"] == 0


def test_spool_exchange_adopts_the_amount_when_the_spool_id_changes(compare, lot_of, erp):
    lot = lot_of(1000, spoolman_id=7)
    compare(7, 1000)
    assert erp.put(lot["uri"], {"spoolman_id": 9}).status_code == 204

    assert compare(9, 400) == {9: None}
    assert erp.get(lot["uri"]).json()["remaining"] == 400


def test_spool_id_belongs_to_one_lot(lot_of, erp, location, material):
    first = lot_of(1000, spoolman_id=7)
    body = {"location": location["uri"], "material": material, "spoolman_id": 7}

    again = erp.post("/stock/", body)

    assert again.status_code == 409
    assert again.json()["errors"][0]["details"] == {"uri": first["uri"]}


@pytest.mark.parametrize("told", [{"id": 7, "left": -1}, {"id": 0}, {"id": 2**31}, {"left": 5}])
def test_spool_exchange_rejects_invalid_values(agent, told):
    assert agent.post("/agent/spools/", {"spools": [told]}).status_code == 400


def test_spool_exchange_requires_an_agent_token(client_of):
    assert client_of("erp").post("/agent/spools/", {}).status_code == 401
