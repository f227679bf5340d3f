"""Order of work by hand, and line items on hold."""

from apps.erp.models import LineItem
from tests.erp.conftest import key_of


def queue(erp, bureau) -> list[str]:
    """The line items with unscheduled pieces, in the order of work."""
    rows = erp.get(f"{bureau['uri']}unscheduled/").json()["resources"]
    return [row["line_item"] for row in rows]


def test_position_goes_before_priority_and_is_cleared_by_null(erp, bureau, confirm):
    first, urgent, last = (confirm(quantity=1) for _ in range(3))
    assert erp.put(urgent["uri"], {"priority": 1}).status_code == 204
    assert queue(erp, bureau) == [urgent["uri"], first["uri"], last["uri"]]

    assert erp.put(last["uri"], {"position": -1}).status_code == 204
    assert queue(erp, bureau) == [last["uri"], urgent["uri"], first["uri"]]

    assert erp.put(last["uri"], {"position": None}).status_code == 204
    assert queue(erp, bureau) == [urgent["uri"], first["uri"], last["uri"]]


def test_many_line_items_change_together(erp, bureau, confirm):
    items = [confirm(quantity=1) for _ in range(3)]
    changes = [
        {"uri": items[2]["uri"], "position": 1, "hold": True},
        {"uri": items[0]["uri"], "position": 2},
        {"uri": items[1]["uri"], "priority": 7},
    ]

    assert erp.put("/line-item/", {"line_items": changes}).status_code == 204

    rows = erp.get(f"{bureau['uri']}unscheduled/").json()["resources"]
    shown = [(row["line_item"], row["position"], row["priority"], row["hold"]) for row in rows]
    assert shown == [
        (items[2]["uri"], 1, None, True),
        (items[0]["uri"], 2, None, False),
        (items[1]["uri"], None, 7, False),
    ]
    changed = erp.get(items[2]["uri"]).json()
    assert changed["updated"] > items[2]["updated"]
    assert [row["uri"] for row in erp.get("/line-item/?filter[hold]=true").json()["resources"]] == [
        items[2]["uri"]
    ]


def test_faulty_change_of_many_line_items_changes_none(erp, confirm, make):
    item, other = (confirm(quantity=1) for _ in range(2))
    changes = [
        {"uri": item["uri"], "hold": True},
        {"uri": item["uri"], "hold": True},
        {"uri": f"{other['uri'][:-5]}0000/", "hold": True},
    ]

    refused = erp.put("/line-item/", {"line_items": changes})
    wrong = erp.put("/line-item/", {"line_items": [{"uri": other["uri"], "hold": "yes"}]})

    assert refused.status_code == 400
    faults = [(error["code"], error["field"]) for error in refused.json()["errors"]]
    assert faults == [
        ("property-value-not-in-allowed-values", "line_items.1.uri"),
        ("resource-not-found", "line_items.2.uri"),
    ]
    assert wrong.json()["errors"][0]["field"] == "line_items.0.hold"
    assert not LineItem.objects.filter(hold=True).exists()


def test_only_members_change_the_order_of_work(client_of, stranger, make, bureau, confirm):
    item = confirm(quantity=1)
    body = {"line_items": [{"uri": item["uri"], "position": 1}]}
    bob = client_of("erp", stranger)
    assert bob.put("/line-item/", body).status_code == 400  # it is none that he reads
    make("permission-bureau", bureau=bureau["uri"], user=stranger.uri, right="material.all")
    refused = bob.put("/line-item/", body)

    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (403, "Unauthorized")
    assert LineItem.objects.get(pk=key_of(item)).position is None


def test_pieces_of_a_line_item_on_hold_go_into_no_run(
    erp, confirm, make, workflow, printer, pieces_of
):
    item = confirm(quantity=1, workflow=workflow)
    (piece,) = pieces_of(item)
    assert erp.put(item["uri"], {"hold": True}).status_code == 204
    body = {"name": "Send", "operation": "post-processing", "pieces": [piece["uri"]]}
    kind = erp.get("/post-processor-type/").json()["resources"][0]["uri"]
    place = printer["location"]
    cabinet = make("post-processor", location=place, post_processor_type=kind, name="Cabinet")

    held = erp.post("/run/", body | {"post_processor": cabinet["uri"]})
    assert erp.put(item["uri"], {"hold": False}).status_code == 204
    released = erp.post("/run/", body | {"post_processor": cabinet["uri"]})

    error = held.json()["errors"][0]
    assert (held.status_code, error["code"]) == (409, "line-item-on-hold")
    assert error["details"]["pieces"] == [piece["uri"]]
    assert released.json()["errors"][0]["code"] == "wrong-step"


def test_print_queue_follows_the_order_of_work(
    erp, confirm, printer_type, print_run, pieces_of, send
):
    items = [confirm(quantity=1) for _ in range(2)]
    runs = [print_run(pieces_of(item)) for item in items]
    for run in runs:
        assert send(run, "queued") == 204
    erp.put(items[0]["uri"], {"priority": 1})
    erp.put(items[1]["uri"], {"position": 1})

    rows = erp.get(f"{printer_type['uri']}queue/").json()["resources"]

    assert [row["run"] for row in rows] == [runs[1]["uri"], runs[0]["uri"]]
