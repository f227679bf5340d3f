"""Pieces that are packed, sliced and printed without a person, on a real OctoPrint."""

from collections.abc import Iterator

import pytest

from tests.live.client import Client
from tests.live.machine_shop import CUBE, OctoPrintShop, octoprint_shop
from tests.live.processes import Platform
from tests.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.slow]


@pytest.fixture(scope="module")
def shop(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OctoPrintShop]:
    with octoprint_shop(Client(platform), tmp_path_factory.mktemp("shop")) as made:
        yield made


def test_confirmed_order_is_printed_without_a_person(shop: OctoPrintShop):
    client = shop.client
    kind = shop.look(shop.printer)["printer_type"]
    workflow = shop.make("workflow", bureau=shop.bureau, name="Print")
    shop.make("process-step", workflow=workflow, step_position=1, process_type=kind)
    client.ask("PUT", kind, 204, json={"plan_runs": True})
    client.ask("PUT", shop.printer, 204, json={"auto_start": True})
    shop.clear()
    begun = shop.octoprint.begun()

    pieces = shop.pieces(shop.item(CUBE, 2, workflow=workflow))

    def attempt() -> str | None:
        return shop.look(shop.printer)["attempt"]

    row = shop.end(wait_for(attempt, seconds=300))
    assert (row["status"], row["notes"]) == ("done", "Started automatically.")
    assert set(shop.look(row["run"])["pieces"]) == set(pieces)
    assert shop.octoprint.begun() == begun + 1
    assert shop.look(shop.printer)["plate"] == "occupied"
    shop.clear()
    assert {shop.look(piece)["status"] for piece in pieces} == {"complete"}
