"""The generated part: made from what the hosts say of themselves, and what it sends."""

import json
import runpy
from datetime import date
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from codegen.methods import Method, plural, singular, without_names
from codegen.types import Types
from tests.client.conftest import answer

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "client" / "manufacturing" / "generated"
EMPTY = b'{"links": {"next": null}, "resources": []}'


@pytest.fixture
def asked(wire, client):
    """The client's asking, answered by {}: what was sent, as method, path and body."""
    wire.replies = [answer(200, b"{}")]

    def last() -> tuple[str, str, dict]:
        method, path, _, body = wire.asked[-1]
        return method, path, json.loads(body or b"{}")

    return last


def test_generated_client_matches_the_openapi_documents():
    made = runpy.run_path(str(ROOT / "bin" / "generate-client"))["files"]()

    files = {path.name: path.read_text() for path in FOLDER.glob("*.py")}
    changed = sorted(
        name for name in files.keys() | made.keys() if files.get(name) != made.get(name)
    )
    assert not changed, f"run bin/generate-client: {', '.join(changed)} differ from the documents"


@pytest.mark.parametrize(
    ("path", "verb", "answered", "name"),
    [
        ("/order/", "get", "PaginatedOrderList", "orders"),
        ("/order/", "post", "Order", "order"),
        ("/order/{uuid}/", "get", "Order", "get_order"),
        ("/order/{uuid}/", "put", "", "change_order"),
        ("/order/{uuid}/", "delete", "", "delete_order"),
        ("/order/{uuid}/events/", "get", "PaginatedEventList", "order_events"),
        ("/order/{uuid}/events/{seq}/replay/", "post", "Event", "order_events_replay"),
        ("/model-library/", "get", "PaginatedModelLibraryList", "model_libraries"),
        ("/users/", "post", "User", "user"),
        ("/config/curated/", "post", "Config", "curated"),
        ("/model/{model}/snapshot/{uuid}/", "get", "Snapshot", "get_model_snapshot"),
        ("/recall/", "get", "PaginatedPieceList", "recall"),
        ("/charges.csv", "get", "", "charges_csv"),
    ],
)
def test_method_name_is_derived_from_path_and_verb(path, verb, answered, name):
    kinds = ("order", "model-library", "users", "config", "model", "model/{}/snapshot")
    known = {(f"/{kind}/{{}}/", "get") for kind in kinds} | {(without_names(path), verb)}
    schema = {"schema": {"$ref": f"#/components/schemas/{answered}"}} if answered else {}
    told = {"operationId": "", "responses": {"200": {"content": {"application/json": schema}}}}

    made = Method(path, verb, told, known, Types({"components": {"schemas": {}}}))

    assert made.name == name


def test_plurals_and_singulars_follow_english():
    assert [plural(word) for word in ("key", "party", "status", "box")] == [
        *("keys", "parties", "statuses", "boxes")
    ]
    assert [singular(word) for word in ("users", "address", "status", "gcode")] == [
        *("user", "address", "status", "gcode")
    ]


def test_create_request_is_sent_to_the_host_of_the_service(client, asked, wire):
    client.slicing.slice(model="http://m/1/", config={"uri": "http://c/1/", "created": "now"})

    sent = asked()
    assert sent == ("POST", "/slice/", {"model": "http://m/1/", "config": "http://c/1/"})
    assert wire.asked[-1][2]["Host"] == f"slicing.wire.localhost:{wire.port}"


def test_curated_config_merges_parameters_and_keyword_fields(client, asked):
    client.slicing.curated(engine="slic3r", parameters={"raft": True}, infill_density=20)

    parameters = {"raft": True, "infill_density": 20}
    assert asked() == (
        *("POST", "/config/curated/"),
        {"engine": "slic3r", "parameters": parameters},
    )


def test_reference_fields_accept_resources_and_other_fields_stay_unchanged(client, asked):
    bureau = {"uri": "http://erp/bureau/1/", "created": "now"}
    shipping = {"uri": "http://erp/shipping/1/", "name": "Ada"}

    client.erp.order(name="Nr. 1", bureau=bureau, line_items=[bureau], shipping=shipping)

    told = {"bureau": bureau["uri"], "line_items": [bureau["uri"]], "shipping": shipping}
    assert asked() == ("POST", "/order/", {"name": "Nr. 1", **told})


def test_list_arguments_become_filter_search_and_sort_parameters(client, wire):
    wire.replies = [answer(200, EMPTY)]

    asking = {"status": ["processed", "error"], "created_from": date(2026, 11, 1)}
    found = list(
        client.models.models(**asking, search={"name": "brack"}, queue=True, sort="-created")
    )

    assert found == []
    assert dict(parse_qsl(urlsplit(wire.asked[-1][1]).query)) == {
        "filter[status]": "processed,error",
        "filter[created]>": "2026-11-01",
        "search[name]": "brack",
        "queue": "true",
        "sort": "-created",
    }


def test_subresource_method_uses_the_uri_of_its_resource(client, asked, wire):
    slice_uri = f"http://slicing.wire.localhost:{wire.port}/slice/7/"

    client.slicing.slice_events_replay({"uri": slice_uri}, 3)
    replayed = asked()
    client.slicing.try_slice(model="http://m/1/", config="http://c/1/")

    assert replayed[:2] == ("POST", "/slice/7/events/3/replay/")
    assert asked()[:2] == ("POST", "/slice/?dry_run=true")


def test_omitted_arguments_are_not_sent(client, asked, wire):
    model = {"uri": f"http://models.wire.localhost:{wire.port}/model/7/"}

    client.models.model_content(model)
    plain = asked()[1]
    client.models.model_content(model, format="3mf")

    assert (plain, asked()[1]) == ("/model/7/content/", "/model/7/content/?format=3mf")
