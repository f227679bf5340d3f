"""A bureau with what a part needs to be made, over HTTP."""

import json
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from django.urls import resolve

from apps.erp.actors import continue_estimates, estimate_line_item
from apps.erp.models import LineItem, Piece, PrinterType, Run
from apps.erp.production.services.runs import create_run
from apps.slicing.actors import tell_settled
from apps.slicing.models import Slice
from apps.users.models import User
from apps.warehouse.models import Model
from core.api.renderers import Renderer, Response
from core.files import blobs
from core.request_context import bind_request, request_context
from geometry.analysis import analyse
from tests.conftest import HostClient


@pytest.fixture
def root(client_of, operator):
    """Client of an administrator, who can create every kind."""
    return client_of("erp", operator)


@pytest.fixture
def erp(client_of, person) -> HostClient:
    """The manufacturing system, as Ada sees it, who makes the bureau."""
    return client_of("erp", person)


@pytest.fixture
def make(person) -> Callable[..., dict]:
    """`make("material", bureau=..., name=...)`: create as Ada's POST does; the resource.

    What a test begins with does not come over HTTP, which is twice as slow; by a `client` it does.
    """

    def create(kind: str, client: HostClient | None = None, **fields) -> dict:
        answer = client.post(f"/{kind}/", fields) if client else _post(person, kind, fields)
        told = json.loads(Renderer().render(answer.data))
        assert answer.status_code == 201, (kind, told)
        assert answer["Location"] == told["uri"]
        return told

    return create


def _post(user: User, kind: str, body: dict) -> Response:
    """What the viewset of a kind answers to a body."""
    view = resolve(f"/{kind}/", "apps.erp.urls").func.cls()
    view.request = SimpleNamespace(user=user, data=body, query_params={})
    view.action = "create"
    with bind_request("", ""):
        request_context().caller = user
        return view._create(view.request)


@pytest.fixture
def bureau(make, made_once) -> dict:
    return made_once("bureau", lambda: make("bureau", name="Parts & Sons"))


@pytest.fixture
def location(make, made_once, bureau) -> dict:
    return made_once("location", lambda: make("location", bureau=bureau["uri"], name="Hall 1"))


@pytest.fixture
def printer_type(make, made_once, bureau) -> dict:
    size = {"x": 340, "y": 340, "z": 600}
    fields = {"bureau": bureau["uri"], "name": "SLS 340", "build_volume": size}
    return made_once("printer type", lambda: make("printer-type", **fields))


@pytest.fixture
def printer(make, made_once, location, printer_type) -> dict:
    of = {"location": location["uri"], "printer_type": printer_type["uri"]}
    return made_once("printer", lambda: make("printer", **of, name="Number 5"))


@pytest.fixture
def member(make, bureau, stranger) -> User:
    """Bob, who joins the bureau and holds no right."""
    make("membership-bureau", bureau=bureau["uri"], user=stranger.uri)
    return stranger


@pytest.fixture
def workflow(make, made_once, bureau, printer_type) -> dict:
    """Print, finish, send."""
    return made_once("workflow", lambda: _workflow(make, bureau, printer_type))


def _workflow(make, bureau, printer_type) -> dict:
    post_processor_type = make("post-processor-type", bureau=bureau["uri"], name="Blasting")
    shipping = make("shipping", bureau=bureau["uri"], name="By bike")
    made = make("workflow", bureau=bureau["uri"], name="All of it")
    for at, done_by in enumerate((printer_type, post_processor_type, shipping), 1):
        make("process-step", workflow=made["uri"], step_position=at, process_type=done_by["uri"])
    return made


@pytest.fixture
def post_processor(make, erp, location, workflow) -> dict:
    """What the second step of the workflow is done on."""
    (kind,) = erp.get("/post-processor-type/").json()["resources"]
    return make(
        "post-processor",
        location=location["uri"],
        post_processor_type=kind["uri"],
        name="Cabinet",
    )


@pytest.fixture
def shipping(erp, workflow) -> dict:
    """What the last step of the workflow is done by."""
    (made,) = erp.get("/shipping/").json()["resources"]
    return made


@pytest.fixture
def confirm(erp, bureau, person) -> Callable[..., dict]:
    """`confirm(quantity=2, workflow=...)`: a line item that was pending, and is to be made."""

    def make_one(quantity: int = 2, workflow: dict | None = None, order: dict | None = None):
        item = LineItem.objects.create(
            bureau_id=key_of(bureau),
            order_id=key_of(order) if order else None,
            workflow_id=key_of(workflow) if workflow else None,
            quantity=quantity,
            no_model_upload=True,
            status="pending",
            creator=person,
        )
        assert erp.put(item.uri, {"status": "confirmed"}).status_code == 204
        return erp.get(item.uri).json()

    return make_one


@pytest.fixture
def pieces_of(erp) -> Callable[[dict], list[dict]]:
    """`pieces_of(line_item)`: its pieces, by number."""

    def read(line_item: dict) -> list[dict]:
        pieces = erp.get(f"/piece/?filter[line_item]={line_item['uri']}&sort=created").json()
        return sorted(pieces["resources"], key=lambda piece: piece["number"])

    return read


@pytest.fixture
def print_run(erp, person, printer_type) -> Callable[[list[dict]], dict]:
    """`print_run(pieces)`: a run of the printer type with these pieces, packed already."""

    def make_one(pieces: list[dict]) -> dict:
        kind = PrinterType.objects.get(pk=key_of(printer_type))
        run = create_run(
            actor=person,
            bureau=kind.bureau,
            name="Night",
            operation="printing",
            pieces=[Piece.objects.get(pk=key_of(piece)) for piece in pieces],
            printer_type=kind,
            status=Run.Status.CALCULATED,
        )
        return erp.get(run.uri).json()

    return make_one


@pytest.fixture
def send(erp) -> Callable[..., int]:
    """`send(run, "queued", "in-progress")`: PUT these states in turn; the last answer."""

    def put(resource: dict, *states: str) -> int:
        codes = [erp.put(resource["uri"], {"status": state}).status_code for state in states]
        assert set(codes[:-1]) <= {204}
        return codes[-1]

    return put


def key_of(resource: dict) -> str:
    """The key in a resource's URI."""
    return resource["uri"].split("/")[-2]


@pytest.fixture
def cube_model(person, cube, made_once) -> dict:
    """A judged cube of 20 mm, 8 cm3, as all work on it leaves it; no work is done."""
    return made_once("cube model", lambda: _cube_model(person, cube))


def _cube_model(person, cube) -> dict:
    with blobs.scratch_dir() as folder:
        path, canonical = folder / "content.stl", folder / "canonical.stl"
        path.write_bytes(cube)
        found = analyse(path, canonical)._asdict()
        content, mesh = (blobs.create_row(*blobs.store_file(file)) for file in (path, canonical))
    row = Model.objects.create(
        owner=person,
        name="cube",
        status=Model.Status.PROCESSED,
        content_id=content,
        canonical_id=mesh,
        analyses=found,
    )
    return {"uri": row.uri}


@pytest.fixture
def config(client_of, person, made_once) -> dict:
    """What Ada slices with."""
    post = client_of("slicing", person).post
    return made_once("config", lambda: post("/config/curated/", {"engine": "slic3r"}).json())


@pytest.fixture
def priced(make, made_once, bureau, config) -> dict:
    """Materials and a workflow of which every price is known: what a line item says of them."""
    return made_once("priced", lambda: _priced(make, bureau, config))


def _priced(make, bureau, config) -> dict:
    uri = bureau["uri"]
    materials = {
        "base": make("material", bureau=uri, name="PA 12", cost=0.35)["uri"],
        "support": make("material", bureau=uri, name="BVOH", type="support", cost=0.1)["uri"],
    }
    steps = [
        make(
            "printer-type",
            bureau=uri,
            name="FDM",
            build_volume={"x": 250, "y": 250, "z": 250},
            config=config["uri"],
            running_cost_per_hour=18,
            print_cost_scale_factor=1.5,
            material_cost_scale_factor=1.1,
            constant_overhead=2,
        ),
        make("post-processor-type", bureau=uri, name="Dyeing", cost=1.25, duration=600),
        make("shipping", bureau=uri, name="Parcel", cost=5.9),
    ]
    workflow = make("workflow", bureau=uri, name="Dyed")
    for at, done_by in enumerate(steps, 1):
        make(
            "process-step", workflow=workflow["uri"], step_position=at, process_type=done_by["uri"]
        )
    return {"materials": materials, "workflow": workflow["uri"]}


@pytest.fixture
def estimate(queued) -> Callable[[], None]:
    """`estimate()`: estimate what waits for it, and do no other work."""

    def run() -> None:
        for actor in (continue_estimates, estimate_line_item):
            for name, words in queued():
                if name == actor.actor_name:
                    actor.fn(*json.loads(words))

    return run


@pytest.fixture
def finish_slice(erp, estimate) -> Callable[..., dict]:
    """`finish_slice(item)`: the slice that the line item waits for is done, or failed; the item."""

    def finish(item: dict, status: str = "processed", **fields) -> dict:
        estimates = {"build_time_seconds": 3600, "build_volume_cc": 8.1, "support_volume_cc": 0.5}
        row = Slice.objects.get(pk=key_of({"uri": item["slice"]}))
        row.move("processing")
        row.move(status, estimates=estimates, **fields)
        tell_settled(row)
        estimate()
        return erp.get(item["uri"]).json()

    return finish


@pytest.fixture
def pending(erp, make, bureau, cube_model, priced, estimate, finish_slice) -> Callable[..., dict]:
    """`pending(quantity=2, order=...)`: a line item of cubes whose estimate is known: 72.75 EUR."""

    def make_one(quantity: int = 2, **fields) -> dict:
        fields = {"model": cube_model["uri"], **priced, **fields}
        item = make("line-item", bureau=bureau["uri"], quantity=quantity, **fields)
        estimate()
        item = erp.get(item["uri"]).json()
        return item if item["status"] == "pending" else finish_slice(item)

    return make_one


@pytest.fixture
def uri_of(client_of, person, presets_folder) -> Callable[[str], str]:
    """`uri_of("Acme Flat")`: the URI of the preset with this name."""
    found = client_of("slicing", person).get("/preset/?page[limit]=1000").json()["resources"]
    return {preset["name"]: preset["uri"] for preset in found}.__getitem__


@pytest.fixture
def type_of(make, bureau, uri_of) -> Callable[..., dict]:
    """`type_of("Acme Flat", ...)`: a printer type with this preset."""

    def create(preset: str = "Acme Flat", **fields) -> dict:
        fields = {"bureau": bureau["uri"], "name": "FDM", "preset": uri_of(preset), **fields}
        return make("printer-type", **fields)

    return create
