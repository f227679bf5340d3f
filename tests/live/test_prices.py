"""Many ask for the same prices at once while workers are killed: one table, one slice a config.

PRICE_REQUESTS asks for more of them.
"""

import itertools
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from tests.live.client import Client, ball
from tests.live.processes import Platform, browser, kill, wait_for

pytestmark = pytest.mark.live

REQUESTS = int(os.environ.get("PRICE_REQUESTS", "80"))
AT_ONCE = 8
KILLS_EVERY = 40  # requests
SLOTS = ("slices-1", "housekeeping-1")


def create(client: Client, path: str, **fields: Any) -> str:
    return client.ask("POST", path, 201, json=fields).headers["Location"]


@pytest.fixture
def request_body(client) -> dict[str, Any]:
    """What is asked for: a ball in two materials, one by a config and one by another."""
    bureau = create(client, "erp/bureau/", name="Parts")
    create(client, "erp/tax-rule/", bureau=bureau, name="All", category="S", country="DE", rate=19)
    about = {"bureau": bureau, "name": "Retail", "country": "DE", "is_default": True}
    term = {"name": "Material", "step": "piece", "unit": "cc", "amount": 0.4}
    create(client, "erp/price-term/", price_list=create(client, "erp/price-list/", **about), **term)
    materials = []
    for name, infill in (("Black", 20), ("White", 40)):
        material = create(client, "erp/material/", bureau=bureau, name=name)
        materials.append(material)
        room = {"x": 200, "y": 200, "z": 200}
        machine = {"bureau": bureau, "name": name, "build_volume": room, "materials": [material]}
        create(client, "erp/printer-type/", config=client.config(infill_density=infill), **machine)
    model = client.model(ball(70, bumps=11))
    assert client.settled(model)["status"] == "processed"
    return {"bureau": bureau, "models": [model], "materials": materials, "quantities": [1, 10]}


@pytest.mark.single("it kills a worker of its machine")
def test_equal_price_requests_create_one_table_and_one_slice_per_config(
    platform: Platform, client: Client, request_body
):
    done, own = itertools.count(1), threading.local()
    killed = []

    def ask(_: int) -> str:
        if not hasattr(own, "session"):
            own.session = browser()
            own.session.auth = client.session.auth
        answer: requests.Response = own.session.post(
            platform.url("erp/price-table/"), json=request_body, timeout=120
        )
        assert answer.status_code == 201, answer.text
        if next(done) % KILLS_EVERY == 1:
            slot = SLOTS[len(killed) % len(SLOTS)]
            killed.append(slot)
            kill(platform.worker(slot))
        return answer.headers["Location"]

    with ThreadPoolExecutor(AT_ONCE) as threads:
        places = set(threads.map(ask, range(REQUESTS)))

    (uri,) = places
    assert len(killed) == len(range(1, REQUESTS + 1, KILLS_EVERY))
    wait_for(lambda: client.read(uri)["status"] == "exact")
    assert all(cell["net"] > 0 for cell in client.read(uri)["cells"])
    (count,) = platform.ask(
        "SELECT count(*), count(DISTINCT config_id) FROM slicing_slice WHERE model_uri = %s",
        request_body["models"][0],
    )
    assert count == (2, 2)
    tables = client.ask("GET", "erp/price-table/", 200).json()["resources"]
    assert [row["uri"] for row in tables if row["bureau"] == request_body["bureau"]] == [uri]
