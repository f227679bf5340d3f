"""Runs: what may go into them, and what becomes of their pieces."""

import pytest

from apps.callbacks import interface as callbacks
from tests.erp.conftest import key_of


@pytest.fixture
def item(confirm, workflow) -> dict:
    """Two parts that are printed, finished and sent."""
    return confirm(quantity=2, workflow=workflow)


@pytest.fixture
def printed(item, pieces_of, print_run, send) -> list[dict]:
    """Its pieces, which wait to be finished."""
    assert send(print_run(pieces_of(item)), "in-progress", "complete") == 204
    return pieces_of(item)


@pytest.fixture
def finishing(make, printed, post_processor) -> dict:
    """The run that finishes them."""
    return make(
        "run",
        name="Blast",
        operation="post-processing",
        pieces=[piece["uri"] for piece in printed],
        post_processor=post_processor["uri"],
        notes="Fine grain.",
    )


def only_error(answer, status: int) -> dict:
    """The one error of a refusal."""
    assert answer.status_code == status, answer.json()
    (error,) = answer.json()["errors"]
    return error


def test_post_processing_run_is_calculated_at_once(erp, finishing, printed, post_processor):
    assert finishing | {"uri": "", "created": "", "updated": ""} == {
        "uri": "",
        "bureau": printed[0]["bureau"],
        "name": "Blast",
        "operation": "post-processing",
        "status": "calculated",
        "moves": ["error", "in-progress", "queued"],
        "printer": None,
        "printer_type": None,
        "any_of_type": False,
        "post_processor": post_processor["uri"],
        "shipping": None,
        "pieces": [piece["uri"] for piece in printed],
        "config": None,
        "slice": None,
        "slicing": None,
        "slicing_errors": None,
        "gcode": None,
        "material": None,
        "model": None,
        "content_3mf": None,
        "report": None,
        "snapshots": [],
        "estimates": None,
        "errors": None,
        "progress": None,
        "actuals": {"start": None, "finish": None, "printing_seconds": None},
        "queue": None,
        "notes": "Fine grain.",
        "created": "",
        "updated": "",
    }
    assert erp.get("/run/").json()["resources"][0] == finishing


def test_run_transitions_move_its_pieces_and_record_start_and_finish(
    erp, item, pieces_of, finishing
):
    seen = []
    for status in ("queued", "in-progress", "complete"):
        assert erp.put(finishing["uri"], {"status": status}).status_code == 204
        run = erp.get(finishing["uri"]).json()
        noted = [run["actuals"][name] is not None for name in ("start", "finish")]
        pieces = {piece["status"] for piece in pieces_of(item)}
        seen.append((pieces, noted, erp.get(item["uri"]).json()["status"]))

    assert seen == [
        ({"queued"}, [False, False], "printing"),
        ({"in-progress"}, [True, False], "post-processing"),
        ({"created"}, [True, True], "post-processing"),
    ]
    assert run["actuals"]["start"] < run["actuals"]["finish"]
    assert run["pieces"] == finishing["pieces"]


def test_line_item_is_queued_by_its_first_run_and_confirmed_without_it(
    erp, item, pieces_of, print_run
):
    run = print_run(pieces_of(item)[:1])
    assert erp.get(item["uri"]).json()["status"] == "queued"

    assert erp.delete(run["uri"]).status_code == 204

    assert erp.get(item["uri"]).json()["status"] == "confirmed"
    assert {(piece["status"], piece["run"]) for piece in pieces_of(item)} == {("created", None)}


def test_deleted_run_restores_the_previous_state_of_its_pieces(
    erp, item, pieces_of, printed, finishing
):
    assert erp.delete(finishing["uri"]).status_code == 204

    assert pieces_of(item)[0] | {"updated": ""} == printed[0] | {"updated": ""}


def test_run_that_fails_before_start_releases_its_pieces(erp, item, pieces_of, print_run, send):
    run = print_run(pieces_of(item))

    assert send(run, "queued", "error") == 204

    run = erp.get(run["uri"]).json()
    assert (run["status"], run["pieces"], run["actuals"]["start"]) == ("error", [], None)
    assert {piece["status"] for piece in pieces_of(item)} == {"created"}
    assert print_run(pieces_of(item))["status"] == "calculated"


def test_run_that_fails_after_start_has_its_pieces_replaced(erp, item, pieces_of, print_run, send):
    run = print_run(pieces_of(item))

    assert send(run, "in-progress", "error") == 204

    pieces = pieces_of(item)
    assert [piece["status"] for piece in pieces] == ["error", "error", "created", "created"]
    assert [piece["replica_of"] for piece in pieces[2:]] == [piece["uri"] for piece in pieces[:2]]
    assert erp.get(run["uri"]).json()["pieces"] == [piece["uri"] for piece in pieces[:2]]
    assert erp.get(item["uri"]).json()["status"] == "printing"


def test_started_run_cannot_be_deleted(erp, pieces_of, item, print_run, send):
    run = print_run(pieces_of(item))
    assert send(run, "in-progress") == 204

    assert only_error(erp.delete(run["uri"]), 409)["code"] == "run-started"


def test_piece_in_an_unfinished_run_cannot_join_another(erp, make, finishing, post_processor):
    body = {"name": "Again", "operation": "post-processing", "pieces": finishing["pieces"]}

    answer = erp.post("/run/", {**body, "post_processor": post_processor["uri"]})

    error = only_error(answer, 409)
    assert (error["code"], error["field"]) == ("piece-in-run", "pieces")
    assert error["details"] == {"pieces": finishing["pieces"]}
    assert finishing["uri"] in error["title"]


def test_piece_joins_only_a_run_of_its_process_step(erp, printed, shipping):
    body = {"name": "Out", "operation": "shipping", "pieces": [printed[0]["uri"]]}

    error = only_error(erp.post("/run/", {**body, "shipping": shipping["uri"]}), 409)

    assert (error["code"], error["details"]) == ("wrong-step", {"pieces": [printed[0]["uri"]]})
    assert printed[0]["process_step"] in error["title"]


def test_piece_without_workflow_can_only_be_printed(erp, confirm, pieces_of, shipping):
    (piece,) = pieces_of(confirm(quantity=1))
    body = {"name": "Out", "operation": "shipping", "pieces": [piece["uri"]]}

    error = only_error(erp.post("/run/", {**body, "shipping": shipping["uri"]}), 409)

    assert error["code"] == "wrong-step"


def test_pieces_of_a_complete_line_item_cannot_join_a_run(
    erp, confirm, pieces_of, print_run, send, shipping
):
    item = confirm(quantity=1)
    assert send(print_run(pieces_of(item)), "in-progress", "complete") == 204
    body = {"name": "Out", "operation": "shipping", "pieces": [pieces_of(item)[0]["uri"]]}

    error = only_error(erp.post("/run/", {**body, "shipping": shipping["uri"]}), 409)

    assert error["code"] == "line-item-not-ready"
    assert "a line item that is complete" in error["title"]


def test_run_must_use_equipment_of_the_bureau_of_its_pieces(erp, make, printed, location, workflow):
    other = make("bureau", name="Others")
    shipping = make("shipping", bureau=other["uri"], name="Elsewhere")
    body = {"name": "Out", "operation": "shipping", "pieces": [printed[0]["uri"]]}

    error = only_error(erp.post("/run/", {**body, "shipping": shipping["uri"]}), 409)

    assert error["code"] == "wrong-bureau"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"operation": "printing"}, "operation"),
        ({"operation": None}, "operation"),
        ({"post_processor": None}, "post_processor"),
        ({"post_processor": "nothing"}, "post_processor"),
        ({"shipping": "SHIPPING"}, "shipping"),
        ({"pieces": []}, "pieces"),
        ({"pieces": ["nothing"]}, "pieces"),
        ({"pieces": ["PIECE", "PIECE"]}, "pieces"),
        ({"status": "queued"}, "status"),
        ({"name": ""}, "name"),
        ({"speed": 3}, "speed"),
        ({"config": "http://elsewhere.example/config/1/"}, "config"),
    ],
)
def test_invalid_field_of_a_run_is_named(erp, printed, post_processor, shipping, change, field):
    body = {
        "name": "Blast",
        "operation": "post-processing",
        "pieces": [printed[0]["uri"]],
        "post_processor": post_processor["uri"],
    }
    stands_for = {"PIECE": printed[0]["uri"], "SHIPPING": shipping["uri"]}
    body |= {
        name: [stands_for.get(one, one) for one in value]
        if isinstance(value, list)
        else stands_for.get(value, value)
        for name, value in change.items()
    }

    answer = erp.post("/run/", body)

    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert erp.get("/run/").json()["meta"]["count"] == 1


def test_strangers_can_neither_create_nor_read_nor_change_runs(
    client_of, erp, finishing, printed, stranger
):
    somebody = client_of("erp", stranger)
    body = {"name": "Mine", "operation": "shipping", "pieces": [printed[0]["uri"]]}

    assert somebody.post("/run/", body).status_code == 403
    assert somebody.get(finishing["uri"]).status_code == 404
    assert somebody.put(finishing["uri"], {"status": "queued"}).status_code == 404
    assert somebody.delete(finishing["uri"]).status_code == 404


def test_run_representation_can_be_put_with_a_new_name(erp, finishing):
    assert erp.put(finishing["uri"], {**finishing, "name": "Later"}).status_code == 204

    assert erp.get(finishing["uri"]).json()["name"] == "Later"


def test_operation_and_pieces_of_a_run_cannot_be_changed(erp, finishing, shipping):
    changes = {"operation": "shipping", "pieces": finishing["pieces"][:1]}

    answer = erp.put(finishing["uri"], changes)

    assert answer.status_code == 400
    faults = {error["field"]: error["code"] for error in answer.json()["errors"]}
    assert faults == dict.fromkeys(changes, "cannot-set-property")


def test_order_status_is_rolled_up_from_runs_of_its_line_items(
    erp, make, bureau, confirm, pieces_of, print_run, send, workflow
):
    order = make("order", bureau=bureau["uri"], name="Hooks")
    first, second = confirm(quantity=1, order=order), confirm(quantity=1, order=order)
    seen = [erp.get(order["uri"]).json()["status"]]
    for item in (first, second):
        assert send(print_run(pieces_of(item)), "in-progress", "complete") == 204
        seen.append(erp.get(order["uri"]).json()["status"])

    assert seen == ["confirmed", "in-progress", "complete"]


def test_each_transition_emits_one_event_to_the_creator(
    erp, make, bureau, person, confirm, pieces_of, print_run, send
):
    order = make("order", bureau=bureau["uri"], name="Hooks")
    item = confirm(quantity=2, order=order)

    assert send(print_run(pieces_of(item)), "queued", "in-progress", "complete") == 204

    events = callbacks.events_after(owner_id=person.pk, position=0, limit=100)
    assert [event.type for event in events] == [
        "line-item.confirmed",
        "order.confirmed",
        *("piece.queued", "piece.queued", "line-item.queued", "order.in-progress"),
        "run.queued",
        *("run.in-progress", "piece.in-progress", "piece.in-progress", "line-item.printing"),
        *("run.complete", "piece.complete", "piece.complete", "line-item.complete"),
        "order.complete",
    ]
    assert len({event.position for event in events}) == len(events)


def test_run_and_piece_list_their_own_events(erp, finishing, send):
    assert send(finishing, "in-progress") == 204

    told = {
        uri: [event["type"] for event in erp.get(f"{uri}events/").json()["resources"]]
        for uri in (finishing["uri"], finishing["pieces"][0])
    }

    assert told[finishing["uri"]] == ["run.in-progress"]
    assert told[finishing["pieces"][0]][0] == "piece.in-progress"


def test_runs_are_filtered_by_operation_status_and_name(erp, finishing):
    for query in ("operation]=post-processing", "status]=calculated", "operation]=printing"):
        assert erp.get(f"/run/?filter[{query}").json()["meta"]["count"] == 1, query
    assert erp.get(f"/run/?filter[name]={key_of(finishing)}").json()["meta"]["count"] == 0
