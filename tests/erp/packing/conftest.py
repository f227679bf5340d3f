"""Small boxes, pieces of them that are confirmed, and a printer that packs them."""

import json
from collections.abc import Callable

import dramatiq
import numpy as np
import pytest
from django.db import connection

from apps.erp.models import LineItem
from apps.warehouse.models import Model
from core.files import blobs
from geometry.analysis import analyse
from tests.conftest import CORNERS, SIDES, binary_stl
from tests.erp.conftest import key_of


@pytest.fixture
def analysed_model(person) -> Callable[..., dict]:
    """`judged(data, name="box")`: a model as its analysis leaves it, Ada's; it may be turned."""

    def make(data: bytes, *, rotation: bool = True, name: str = "box") -> dict:
        with blobs.scratch_dir() as folder:
            path, canonical = folder / "content.stl", folder / "canonical.stl"
            path.write_bytes(data)
            found = analyse(path, canonical)._asdict()
            content, mesh = (
                blobs.create_row(*blobs.store_file(file)) for file in (path, canonical)
            )
        row = Model.objects.create(
            owner=person,
            name=name,
            may_rotate=rotation,
            status=Model.Status.PROCESSED,
            content_id=content,
            canonical_id=mesh,
            analyses=json.loads(json.dumps(found)),
        )
        return {"uri": row.uri}

    return make


@pytest.fixture
def box_model(analysed_model) -> Callable[..., dict]:
    """`box_model(20, 30, 40)`: a judged box of these sides."""
    return lambda *sides, **options: analysed_model(
        binary_stl(CORNERS[SIDES] * np.array(sides)), **options
    )


@pytest.fixture
def confirmed(erp, bureau, person) -> Callable[..., list[str]]:
    """`confirmed(model, 3)`: the URIs of the pieces of a confirmed line item, by number."""

    def confirm(model: dict, quantity: int, **fields) -> list[str]:
        item = LineItem.objects.create(
            bureau_id=key_of(bureau),
            model_uri=model["uri"],
            quantity=quantity,
            status="pending",
            creator=person,
            **{"name": "part", **fields},
        )
        assert erp.put(item.uri, {"status": "confirmed"}).status_code == 204
        return [piece.uri for piece in item.pieces.order_by("number")]

    return confirm


@pytest.fixture
def small(make, bureau, location) -> dict:
    """A printer that builds 100 x 100 x 100 mm, with 2 mm between parts."""
    kind = make(
        "printer-type",
        bureau=bureau["uri"],
        name="Small",
        build_volume={"x": 100, "y": 100, "z": 100},
        minimum_packing_distance=2,
    )
    return make("printer", location=location["uri"], printer_type=kind["uri"], name="S1")


@pytest.fixture
def premium(client_of, operator, erp, bureau, small) -> dict:
    """The small printer, whose type packs by true shape."""
    feature = {"bureau": bureau["uri"], "name": "premium-packer", "enabled": True}
    assert client_of("erp", operator).post("/feature/", feature).status_code == 201
    change = {"build_packer_type": "premium_packer"}
    assert erp.put(small["printer_type"], change).status_code == 204
    return small


@pytest.fixture
def create_runs(erp, small) -> Callable:
    """`create_runs(pieces)`: the answer of POST /create-runs/."""

    def post(pieces: list[str], **fields):
        body = {"run_name": "Monday", "printer": small["uri"], "pieces": pieces, **fields}
        return erp.post("/create-runs/", {"budget": "quick", **body})

    return post


@pytest.fixture
def work_on(db) -> Callable[..., None]:
    """`work_on("pack_run")`: do what is queued for these actors, and nothing else."""

    def run(*names: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM dramatiq.queue WHERE message->>'actor_name' = ANY(%s)"
                " RETURNING message->>'actor_name', message->'args' #>> '{}'",
                (list(names),),
            )
            found = cursor.fetchall()
        for name, words in found:
            dramatiq.get_broker().get_actor(name).fn(*json.loads(words))

    return run


@pytest.fixture
def packed(erp, create_runs, work_on) -> Callable[..., dict]:
    """`packed(pieces)`: the run that they make, after it was packed."""

    def pack(pieces: list[str], **fields) -> dict:
        answer = create_runs(pieces, **fields)
        assert answer.status_code == 201, answer.json()
        work_on("pack_run")
        return erp.get(answer["Location"]).json()

    return pack


STEPS = ("pack_run", "analyse_model", "start_waiting_slices", "slice_model", "continue_runs")


@pytest.fixture
def carry_on(work_on):
    """`carry_on()`: what packs, judges and slices is done, and no picture is drawn."""

    def run() -> None:
        for step in STEPS:
            work_on(step)
            work_on("continue_runs")

    return run


@pytest.fixture
def run_of(erp, carry_on):
    """`run_of(printer, pieces, ...)`: a run that is packed, and sliced where it is by itself."""

    def create(printer: dict, pieces: list[str], **fields) -> dict:
        body = {"run_name": "Monday", "printer": printer["uri"], "pieces": pieces, **fields}
        answer = erp.post("/create-runs/", body)
        assert answer.status_code == 201, answer.json()
        carry_on()
        run = erp.get(answer.json()["uri"]).json()
        assert run["status"] == "calculated", run["errors"]
        return run

    return create


def angle(length: float, height: float, wall: float) -> bytes:
    """An angle bracket, as a binary STL file: two plates that meet at an edge."""
    outline = np.array(
        [[0, 0], [length, 0], [length, wall], [wall, wall], [wall, height], [0, height]]
    )
    low, high = (np.insert(outline, 1, y, axis=1) for y in (0.0, length))
    faces = [(low[0], low[a], low[b]) for a, b in ((1, 2), (2, 3), (3, 4), (4, 5))]
    faces += [(high[0], high[b], high[a]) for a, b in ((1, 2), (2, 3), (3, 4), (4, 5))]
    for a in range(6):
        b = (a + 1) % 6
        faces += [(low[a], high[b], low[b]), (low[a], high[a], high[b])]
    return binary_stl(np.array(faces))
