"""From an order to parts: packed, printed on a machine, cleared with a reject, printed again."""

import pytest

from tests.erp.conftest import key_of

pytestmark = pytest.mark.django_db


def test_order_completes_when_the_replica_of_its_rejected_piece_is_printed(
    erp, make, bureau, small, confirmed, box_model, packed
):
    def look(uri: str) -> str:
        return erp.get(uri).json()["status"]

    def print_on_small(run: dict, **cleared) -> dict:
        attempt = make("attempt", run=run["uri"])
        assert attempt["printer"] == small["uri"]
        assert [
            erp.put(attempt["uri"], {"status": word}).status_code
            for word in ("printing", "paused", "printing", "done")
        ] == [204] * 4
        assert look(run["uri"]) == "in-progress"
        answer = erp.post(f"{small['uri']}clear/", cleared)
        assert answer.status_code == 200, answer.json()
        return answer.json()

    order = make("order", bureau=bureau["uri"], name="17")
    pieces = confirmed(box_model(20, 20, 20), 3, order_id=key_of(order))
    erp.put(small["uri"], {"driver": "manual"})
    erp.post(f"{small['uri']}clear/", {})
    first = packed(pieces)

    print_on_small(first, rejected=[{"piece": pieces[2], "notes": "A corner has lifted."}])

    assert [look(uri) for uri in pieces] == ["complete", "complete", "error"]
    assert (look(first["uri"]), look(order["uri"])) == ("complete", "in-progress")
    (replica,) = erp.get(f"/piece/?filter[replica_of]={pieces[2]}").json()["resources"]
    assert replica["status"] == "created"
    second = packed([replica["uri"]])
    shown = print_on_small(second)
    assert (look(replica["uri"]), look(second["uri"])) == ("complete", "complete")
    assert look(order["uri"]) == "complete"
    assert (shown["status"], shown["plate"], shown["attempt"]) == ("idle", "clear", None)
    attempts = erp.get("/attempt/?filter[status]=done&sort=created").json()["resources"]
    assert [one["run"] for one in attempts] == [first["uri"], second["uri"]]
    assert len({one["name"] for one in attempts}) == 2
