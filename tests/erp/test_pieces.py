"""Pieces: made by confirming, moved by their runs, replaced when they go wrong."""

import pytest


@pytest.fixture
def item(confirm, workflow) -> dict:
    """Two parts that are printed, finished and sent."""
    return confirm(quantity=2, workflow=workflow)


def steps_of(erp, workflow: dict) -> list[str]:
    """The URIs of a workflow's steps, in order."""
    return erp.get(workflow["uri"]).json()["steps"]


def test_confirming_creates_one_piece_per_unit(erp, item, workflow, pieces_of):
    first, second = pieces_of(item)

    assert (first["number"], second["number"]) == (1, 2)
    assert second | {"uri": "", "created": "", "updated": ""} == {
        "uri": "",
        "bureau": item["bureau"],
        "line_item": item["uri"],
        "number": 2,
        "status": "created",
        "moves": ["error"],
        "model": None,
        "config": None,
        "process_step": steps_of(erp, workflow)[0],
        "run": None,
        "transform": None,
        "actuals": {"start": None, "finish": None},
        "replica_of": None,
        "notes": None,
        "created": "",
        "updated": "",
    }


def test_pieces_cannot_be_created_or_deleted_over_the_api(erp, item, pieces_of):
    (piece, _) = pieces_of(item)

    assert erp.post("/piece/", {"line_item": item["uri"]}).status_code == 405
    assert erp.delete(piece["uri"]).status_code == 405


def test_piece_notes_change_and_representation_can_be_put_unchanged(erp, item, pieces_of):
    piece, _ = pieces_of(item)

    assert erp.put(piece["uri"], {"notes": "A scratch."}).status_code == 204
    noted = erp.get(piece["uri"]).json()
    assert erp.put(piece["uri"], noted).status_code == 204
    assert (noted["notes"], noted["status"]) == ("A scratch.", "created")


def test_piece_passes_all_process_steps_and_completes_after_the_last(
    erp, make, item, workflow, post_processor, shipping, pieces_of, print_run, send
):
    seen = []
    for step in steps_of(erp, workflow):
        pieces = pieces_of(item)
        assert [piece["process_step"] for piece in pieces] == [step, step]
        named = {"name": "Run", "pieces": [piece["uri"] for piece in pieces]}
        if not seen:
            run = print_run(pieces)
        elif len(seen) == 1:
            doer = {"post_processor": post_processor["uri"]}
            run = make("run", operation="post-processing", **doer, **named)
        else:
            run = make("run", operation="shipping", shipping=shipping["uri"], **named)
        assert send(run, "queued", "in-progress") == 204
        during = erp.get(item["uri"]).json()["status"]
        assert send(run, "complete") == 204
        seen.append((during, {piece["status"] for piece in pieces_of(item)}))

    assert seen == [
        ("printing", {"created"}),
        ("post-processing", {"created"}),
        ("shipping", {"complete"}),
    ]
    assert erp.get(item["uri"]).json()["status"] == "complete"


def test_piece_without_workflow_completes_after_printing(erp, confirm, pieces_of, print_run, send):
    item = confirm(quantity=1)

    assert send(print_run(pieces_of(item)), "in-progress", "complete") == 204

    (piece,) = pieces_of(item)
    assert (piece["status"], piece["process_step"]) == ("complete", None)
    assert erp.get(item["uri"]).json()["status"] == "complete"


def test_failed_piece_is_replaced_and_line_item_waits_for_the_replica(
    erp, confirm, pieces_of, print_run, send
):
    item = confirm(quantity=2)
    run = print_run(pieces_of(item))
    assert send(run, "in-progress") == 204
    bad, good = pieces_of(item)

    assert send(bad, "error") == 204
    assert send(run, "complete") == 204

    bad, good, replica = pieces_of(item)
    states = [piece["status"] for piece in (bad, good, replica)]
    assert states == ["error", "complete", "created"]
    assert (replica["replica_of"], replica["number"], replica["run"]) == (bad["uri"], 3, None)
    assert erp.get(item["uri"]).json()["status"] == "printing"
    assert send(print_run([replica]), "in-progress", "complete") == 204
    assert erp.get(item["uri"]).json()["status"] == "complete"


def test_replica_starts_at_the_first_process_step(
    erp, make, item, workflow, post_processor, pieces_of, print_run, send
):
    assert send(print_run(pieces_of(item)), "in-progress", "complete") == 204
    first, _ = pieces_of(item)

    assert send(first, "error") == 204

    replica = pieces_of(item)[2]
    assert replica["process_step"] == steps_of(erp, workflow)[0]
    assert erp.get(item["uri"]).json()["status"] == "printing"


def test_illegal_piece_transition_names_both_states_and_changes_nothing(erp, item, pieces_of):
    piece, _ = pieces_of(item)

    answer = erp.put(piece["uri"], {"status": "complete", "notes": "Done?"})

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == ("illegal-transition", "status")
    assert error["details"] == {"uri": piece["uri"], "from": "created", "to": "complete"}
    assert "is created and cannot become complete" in error["title"]
    assert erp.get(piece["uri"]).json() == piece


def test_pieces_can_be_changed_in_bulk(erp, item, pieces_of, print_run, send):
    first, second = pieces_of(item)
    assert send(print_run([first, second]), "in-progress") == 204

    changes = [
        {"uri": first["uri"], "status": "created"},
        {"uri": second["uri"], "status": "error", "notes": "Warped."},
    ]
    assert erp.put("/piece/", {"pieces": changes}).status_code == 204

    first, second, replica = pieces_of(item)
    assert [first["status"], second["status"]] == ["created", "error"]
    assert (second["notes"], replica["replica_of"]) == ("Warped.", second["uri"])


def test_bulk_change_of_pieces_is_atomic_and_names_the_illegal_one(
    erp, item, pieces_of, print_run, send
):
    first, second = pieces_of(item)
    assert send(print_run([first]), "in-progress") == 204
    before = pieces_of(item)

    changes = [
        {"uri": first["uri"], "status": "created"},
        {"uri": second["uri"], "status": "complete"},
    ]
    answer = erp.put("/piece/", {"pieces": changes})

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert (error["field"], error["details"]["uri"]) == ("pieces.1.status", second["uri"])
    assert pieces_of(item) == before


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ([{"uri": "nothing"}], "pieces.0.uri"),
        ([{"uri": "PIECE"}, {"uri": "PIECE"}], "pieces.1.uri"),
        ([{"uri": "PIECE", "status": "done"}], "pieces.0.status"),
        ([{"uri": "PIECE", "model": None}], "pieces.0.model"),
        ([{"status": "error"}], "pieces.0.uri"),
        ([], "pieces"),
        ("PIECE", "pieces"),
        ([{"uri": "PIECE"}] * 1001, "pieces"),
    ],
)
def test_invalid_bulk_change_of_pieces_is_rejected_with_its_field(
    erp, item, pieces_of, changes, field
):
    piece, _ = pieces_of(item)
    if isinstance(changes, list):
        changes = [
            {name: piece["uri"] if value == "PIECE" else value for name, value in change.items()}
            for change in changes
        ]

    answer = erp.put("/piece/", {"pieces": changes})

    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_strangers_can_neither_read_nor_change_pieces(client_of, item, pieces_of, stranger):
    piece, _ = pieces_of(item)
    somebody = client_of("erp", stranger)

    assert somebody.get("/piece/").json()["resources"] == []
    assert somebody.put(piece["uri"], {"notes": "Mine"}).status_code == 404
    answer = somebody.put("/piece/", {"pieces": [{"uri": piece["uri"], "notes": "Mine"}]})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "pieces.0.uri")


def test_members_change_pieces_without_a_right(client_of, item, pieces_of, member):
    piece, _ = pieces_of(item)
    somebody = client_of("erp", member)

    change = {"uri": piece["uri"], "notes": "Seen."}
    assert somebody.put("/piece/", {"pieces": [change]}).status_code == 204
    assert somebody.put(piece["uri"], {"notes": "Seen again."}).status_code == 204


def test_pieces_are_filtered_by_line_item_order_run_status_and_step(
    erp, make, bureau, confirm, workflow, pieces_of, print_run
):
    order = make("order", bureau=bureau["uri"], name="Ten hooks")
    ordered = confirm(quantity=1, workflow=workflow, order=order)
    confirm(quantity=1)
    (piece,) = pieces_of(ordered)
    run = print_run([piece])

    for query in (
        f"line_item]={ordered['uri']}",
        f"order]={order['uri']}",
        f"run]={run['uri']}",
        "status]=queued",
        f"process_step]={piece['process_step']}",
    ):
        found = erp.get(f"/piece/?filter[{query}").json()["resources"]
        assert [one["uri"] for one in found] == [piece["uri"]], query
