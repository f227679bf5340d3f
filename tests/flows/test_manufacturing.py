"""The manufacturing story: from a bureau's first day to an order that is complete, over HTTP."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.conftest import CORNERS, SIDES, HostClient, binary_stl


@pytest.fixture
def erp(client_of, person) -> HostClient:
    return client_of("erp", person)


@pytest.fixture
def make(erp) -> Callable[..., dict]:
    """`make("order", bureau=..., name=...)`: create over HTTP, as Ada; the resource."""

    def create(kind: str, **fields) -> dict:
        answer = erp.post(f"/{kind}/", fields)
        assert answer.status_code == 201, (kind, answer.json())
        return answer.json()

    return create


@pytest.fixture
def part(client_of, person, upload, run_jobs) -> Callable[..., str]:
    """`part("lid", 30, 20, 5)`: the URI of a judged box of this size, mm."""

    def make_part(name: str, *size: float) -> str:
        model = client_of("models", person).post("/model/", {"name": name}).json()
        upload(model, binary_stl((CORNERS * np.array(size, dtype=np.float32))[SIDES]))
        run_jobs()
        return model["uri"]

    return make_part


@pytest.mark.engine
def test_order_is_estimated_packed_produced_and_traced(
    client_of, person, erp, make, part, run_jobs, price, payer
):
    # What it may cost.
    payer(person)
    price(4, namespace="erp", action="run")
    consent = {"namespace": "erp", "action": "run", "consented": True, "user_uri": person.uri}
    assert client_of("payment", person).post("/consent/", consent).status_code == 201

    # A bureau, and what it makes parts with.
    bureau = make("bureau", name="Parts & Sons")["uri"]
    hall = make("location", bureau=bureau, name="Hall 1")["uri"]
    nylon = make("material", bureau=bureau, name="PA 12", cost=0.4, density=1.01)["uri"]
    draft = {"engine": "slic3r", "parameters": {"print_quality": "low", "infill_density": 10}}
    config = client_of("slicing", person).post("/config/curated/", draft).json()["uri"]
    laser = make(
        "printer-type",
        bureau=bureau,
        name="SLS 340",
        build_volume={"x": 200, "y": 200, "z": 200},
        config=config,
        running_cost_per_hour=12,
    )["uri"]
    printer = make("printer", location=hall, printer_type=laser, name="Number 5")["uri"]
    blasting = make("post-processor-type", bureau=bureau, name="Blasting", cost=1)["uri"]
    cabin = make("post-processor", location=hall, post_processor_type=blasting, name="Cabin")
    workflow = make("workflow", bureau=bureau, name="Print and blast")["uri"]
    for position, process in enumerate((laser, blasting), start=1):
        make("process-step", workflow=workflow, step_position=position, process_type=process)

    # An order of three line items, one of them from the library.
    scan = part("bracket", 30, 20, 10)
    order = make("order", bureau=bureau, name="Gate 7", customer_name="Gates Ltd")["uri"]
    library = make(
        "model-library",
        bureau=bureau,
        name="Bracket",
        model=scan,
        material=nylon,
        workflow=workflow,
    )["uri"]
    product = make("product", order=order, model_library=library)["uri"]
    items = [
        make("line-item", bureau=bureau, product=product, quantity=2, name="Bracket"),
        *(
            make(
                "line-item",
                bureau=bureau,
                order=order,
                name=name,
                model=part(name, *size),
                quantity=quantity,
                materials={"base": nylon},
                workflow=workflow,
            )
            for name, size, quantity in (("Lid", (40, 40, 5), 1), ("Pin", (8, 8, 30), 3))
        ),
    ]
    run_jobs()
    for item in items:
        estimated = erp.get(item["uri"]).json()
        assert estimated["status"] == "pending"
        assert estimated["estimates"]["print_time"] > 0
        assert erp.put(item["uri"], {"status": "confirmed"}).status_code == 204
    assert erp.get(order).json()["status"] == "confirmed"

    # One run of all pieces: packed, printed, then blasted.
    pieces = [row["uri"] for row in erp.get("/piece/?sort=created").json()["resources"]]
    assert len(pieces) == 6
    made = erp.post(
        "/create-runs/",
        {
            "printer": printer,
            "run_name": "Monday",
            "pieces": pieces,
            "config": config,
            "budget": "quick",
        },
    )
    assert made.status_code == 201, made.json()
    run = made["Location"]
    run_jobs()
    packed = erp.get(run).json()
    assert (packed["status"], packed["errors"]) == ("calculated", None)
    assert sorted(packed["report"]["out_order"]) == sorted(pieces)
    for status in ("queued", "in-progress"):
        assert erp.put(run, {"status": status}).status_code == 204
    assert {erp.get(item["uri"]).json()["status"] for item in items} == {"printing"}
    assert erp.put(run, {"status": "complete"}).status_code == 204
    blasted = make(
        "run", operation="post-processing", name="Blast", post_processor=cabin["uri"], pieces=pieces
    )["uri"]
    for status in ("queued", "in-progress", "complete"):
        assert erp.put(blasted, {"status": status}).status_code == 204

    # All is done, and one piece tells how it came to be.
    assert {erp.get(uri).json()["status"] for uri in pieces} == {"complete"}
    assert erp.get(order).json()["status"] == "complete"
    first = next(uri for uri in pieces if erp.get(uri).json()["line_item"] == items[0]["uri"])
    trace = erp.get("/trace/", {"uri": first}).json()
    (invoice,) = client_of("payment", person).get("/invoice/").json()["resources"]
    charges = client_of("payment", person).get("/charge/").json()["resources"]
    slice = erp.get(items[0]["uri"]).json()["slice"]
    costs = {row["source"]: row["uri"] for row in charges if row["source"] in {run, slice}}
    chain = trace["chain"]
    assert (chain["file"], chain["settings"], chain["part"]) == ([scan], [config], [first])
    assert (set(chain["run"]), chain["order"]) == ({run, blasted}, [order])
    assert costs.keys() == {run, slice}
    assert set(chain["money"]) == {*costs.values(), invoice["uri"]}
    names = {node["name"] for node in trace["nodes"]}
    assert {"PA 12", "Number 5", "Cabin", "Print and blast", "Gate 7", "Monday"} <= names
    assert not {"Lid", "Pin"} & names
    recalled = erp.get("/recall/", {"printer": printer}).json()["resources"]
    assert {row["uri"] for row in recalled} == set(pieces)
    labels = erp.get(f"{run}labels/").content.decode()
    assert labels.index(packed["report"]["out_order"][0]) < labels.index(
        packed["report"]["out_order"][-1]
    )
