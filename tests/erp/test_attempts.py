"""Runs that reach a machine: planned, printed by a person's word, and cleared from the plate."""

import pytest

from apps.erp.models import LineItem, Printer
from tests.erp.conftest import key_of


@pytest.fixture
def machine(erp, printer) -> dict:
    """A printer whose machine is a person, with an empty plate."""
    assert erp.put(printer["uri"], {"driver": "manual"}).status_code == 204
    assert erp.post(f"{printer['uri']}clear/", {}).status_code == 200
    return erp.get(printer["uri"]).json()


@pytest.fixture
def run(confirm, pieces_of, print_run) -> dict:
    """Three pieces, packed already."""
    return print_run(pieces_of(confirm(quantity=3)))


@pytest.fixture
def attempt(make, machine, run) -> dict:
    return make("attempt", run=run["uri"], printer=machine["uri"])


@pytest.fixture
def say(erp):
    """`say(attempt, "printing", "done")`: a person's words, in turn; the status codes."""

    def put(attempt: dict, *words: str) -> list[int]:
        return [erp.put(attempt["uri"], {"status": word}).status_code for word in words]

    return put


def look(erp, *resources: dict) -> list[str]:
    return [erp.get(resource["uri"]).json()["status"] for resource in resources]


def codes(answer) -> set[str]:
    return {error["code"] for error in answer.json()["errors"]}


def test_printed_run_completes_when_the_bed_is_cleared(erp, machine, run, attempt, say):
    assert (attempt["status"], attempt["name"][-6:]) == ("planned", ".gcode")
    assert look(erp, run, machine) == ["queued", "idle"]

    assert say(attempt, "printing") == [204]
    assert look(erp, run, machine) == ["in-progress", "printing"]
    assert say(attempt, "paused", "printing", "done") == [204] * 3

    told = erp.get(attempt["uri"]).json()
    assert told["began"] <= told["ended"] and told["printing_seconds"] >= 0
    assert [said["what"] for said in told["evidence"]] == ["printing", "paused", "printing", "done"]
    assert look(erp, run, machine) == ["in-progress", "idle"]
    shown = erp.get(machine["uri"]).json()
    assert (shown["plate"], shown["attempt"]) == ("occupied", attempt["uri"])
    cleared = erp.post(f"{machine['uri']}clear/", {}).json()
    assert (cleared["plate"], cleared["attempt"]) == ("clear", None)
    made = erp.get(run["uri"]).json()
    assert (made["status"], made["actuals"]["finish"]) == ("complete", told["ended"])
    assert look(erp, *[{"uri": uri} for uri in run["pieces"]]) == ["complete"] * 3


def test_rejected_pieces_are_replaced_once_when_the_bed_is_cleared(
    erp, machine, run, attempt, say, pieces_of
):
    say(attempt, "printing", "done")
    bad = run["pieces"][1]
    body = {"rejected": [{"piece": bad, "notes": "Warped."}]}

    assert erp.post(f"{machine['uri']}clear/", body).status_code == 200

    made = pieces_of({"uri": erp.get(bad).json()["line_item"]})
    assert [piece["status"] for piece in made] == ["complete", "error", "complete", "created"]
    assert (made[1]["notes"], made[3]["replica_of"]) == ("Warped.", bad)
    assert look(erp, run) == ["complete"]
    again = erp.post(f"{machine['uri']}clear/", body)
    assert (again.status_code, codes(again)) == (409, {"nothing-on-plate"})
    assert len(pieces_of({"uri": made[0]["line_item"]})) == 4


@pytest.mark.parametrize("end", ["stopped", "failed"])
def test_all_pieces_are_rejected_by_default_when_the_attempt_is_not_done(
    erp, machine, run, attempt, say, pieces_of, end
):
    say(attempt, "printing", end)
    assert look(erp, machine) == ["error" if end == "failed" else "idle"]

    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200

    made = pieces_of({"uri": erp.get(run["pieces"][0]).json()["line_item"]})
    assert [piece["status"] for piece in made] == ["error"] * 3 + ["created"] * 3
    assert look(erp, run, machine) == ["error", "idle"]


def test_pieces_not_rejected_complete_when_the_attempt_failed(erp, machine, run, attempt, say):
    say(attempt, "printing", "failed")

    body = {"rejected": [{"piece": run["pieces"][0]}]}
    assert erp.post(f"{machine['uri']}clear/", body).status_code == 200

    assert look(erp, run) == ["complete"]
    pieces = [{"uri": uri} for uri in run["pieces"]]
    assert look(erp, *pieces) == ["error", "complete", "complete"]


def test_failed_attempt_is_printed_again_on_request(erp, machine, run, attempt, say):
    say(attempt, "printing", "failed")

    cleared = erp.post(f"{machine['uri']}clear/", {"again": True}).json()

    second = erp.get(cleared["attempt"]).json()
    assert (second["run"], second["status"]) == (run["uri"], "planned")
    assert second["name"] != attempt["name"]
    assert say(second, "printing", "done") == [204, 204]
    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200
    assert look(erp, run) == ["complete"]


def test_finished_attempt_cannot_be_printed_again(erp, machine, attempt, say):
    say(attempt, "printing", "done")

    answer = erp.post(f"{machine['uri']}clear/", {"again": True})

    assert (answer.status_code, codes(answer)) == (409, {"illegal-transition"})
    assert erp.get(machine["uri"]).json()["plate"] == "occupied"


def test_piece_that_is_not_on_the_bed_cannot_be_rejected(
    erp, machine, attempt, say, confirm, pieces_of
):
    say(attempt, "printing", "done")
    (other,) = pieces_of(confirm(quantity=1))

    answer = erp.post(f"{machine['uri']}clear/", {"rejected": [{"piece": other["uri"]}]})

    assert (answer.status_code, codes(answer)) == (409, {"piece-not-on-plate"})
    assert answer.json()["errors"][0]["field"] == "rejected.0.piece"


def test_finished_attempt_cannot_change_its_status(erp, run, attempt, say):
    assert say(attempt, "printing", "done") == [204, 204]

    assert say(attempt, "done", "failed", "printing", "never") == [204, 409, 409, 409]
    assert look(erp, attempt, run) == ["done", "in-progress"]


def test_attempt_that_never_began_returns_its_run_to_the_queue(
    erp, make, machine, run, attempt, say
):
    assert say(attempt, "never") == [204]

    assert look(erp, run) == ["queued"]
    second = make("attempt", run=run["uri"], printer=machine["uri"])
    assert say(second, "printing", "never") == [204, 409]


def test_statuses_of_machine_and_platform_cannot_be_set_by_users(attempt, say):
    assert say(attempt, "sent", "armed", "unclear") == [409] * 3


def test_attempt_cannot_start_on_a_bed_of_unknown_state(erp, machine, attempt, say):
    Printer.objects.filter(pk=key_of(machine)).update(plate="unknown")

    answer = erp.put(attempt["uri"], {"status": "printing"})

    assert (answer.status_code, codes(answer)) == (409, {"plate-not-clear"})


def test_bed_cannot_be_cleared_during_an_attempt(erp, machine, attempt, say):
    say(attempt, "printing")

    answer = erp.post(f"{machine['uri']}clear/", {})

    assert (answer.status_code, codes(answer)) == (409, {"attempt-open"})


# ---------------------------------------------------------------- candidates and queues


def test_attempt_and_candidates_report_all_reasons_against_a_printer(
    erp, make, bureau, location, printer, run
):
    lot = make(
        "stock",
        location=location["uri"],
        material=make("material", bureau=bureau["uri"], name="PA 12")["uri"],
    )
    change = {"maintenance": True, "loaded": [lot["uri"]]}
    assert erp.put(printer["uri"], change).status_code == 204

    answer = erp.post("/attempt/", {"run": run["uri"], "printer": printer["uri"]})
    (candidate,) = erp.get(f"{run['uri']}candidates/").json()["resources"]

    expected = ["no-machine", "in-maintenance", "plate-not-clear"]
    assert [error["code"] for error in answer.json()["errors"]] == expected
    assert [reason["code"] for reason in candidate["reasons"]] == expected
    assert (answer.status_code, candidate["fits"]) == (409, False)


def test_attempt_requires_the_material_of_its_pieces_to_be_loaded(
    erp, make, bureau, location, machine, run
):
    materials = {
        name: make("material", bureau=bureau["uri"], name=name)["uri"] for name in ("PA 12", "TPU")
    }
    lots = {
        name: make("stock", location=location["uri"], material=uri)["uri"]
        for name, uri in materials.items()
    }
    LineItem.objects.update(base_material=key_of({"uri": materials["TPU"]}))

    erp.put(machine["uri"], {"loaded": [lots["PA 12"]]})
    refused = erp.post("/attempt/", {"run": run["uri"], "printer": machine["uri"]})
    erp.put(machine["uri"], {"loaded": [lots["TPU"]]})
    taken = make("attempt", run=run["uri"], printer=machine["uri"])

    assert codes(refused) == {"other-material"}
    erp.put(taken["uri"], {"status": "printing"})
    assert erp.get(taken["uri"]).json()["loaded"] == [lots["TPU"]]


def test_run_without_printer_is_assigned_to_the_free_one(
    erp, make, location, printer_type, machine, run
):
    other = make(
        "printer", location=location["uri"], printer_type=printer_type["uri"], name="Number 6"
    )

    made = make("attempt", run=run["uri"])

    assert made["printer"] == machine["uri"]
    assert erp.get(run["uri"]).json()["printer"] == machine["uri"]
    again = erp.post("/attempt/", {"run": run["uri"], "printer": other["uri"]})
    assert codes(again) == {"attempt-open"}


def test_attempt_is_rejected_with_reasons_when_no_printer_is_free(erp, printer, run):
    answer = erp.post("/attempt/", {"run": run["uri"]})

    assert (answer.status_code, codes(answer)) == (409, {"no-printer-free"})
    (error,) = answer.json()["errors"]
    assert error["details"]["printers"] == {printer["uri"]: ["no-machine", "plate-not-clear"]}


def test_queue_reports_printer_or_waiting_reason_of_each_run(
    erp, make, machine, printer_type, confirm, pieces_of, print_run
):
    first, second, third = [print_run(pieces_of(confirm(quantity=1))) for _ in range(3)]
    for one in (first, second):
        assert erp.put(one["uri"], {"status": "queued"}).status_code == 204
    queue = f"{printer_type['uri']}queue/"

    before = erp.get(queue).json()["resources"]
    make("attempt", run=first["uri"], printer=machine["uri"])
    after = erp.get(queue).json()["resources"]

    assert [(one["run"], one["printer"]) for one in before] == [
        (first["uri"], machine["uri"]),
        (second["uri"], machine["uri"]),
    ]
    (waiting,) = after
    assert (waiting["run"], waiting["printer"]) == (second["uri"], None)
    assert waiting["reason"]["code"] == "printer-busy"


def test_queue_is_ordered_by_priority_of_line_item_or_else_of_order(
    erp, make, bureau, printer_type, confirm, pieces_of, print_run
):
    soon = make("order", bureau=bureau["uri"], name="1", priority=2)
    names = {}
    for name, order, priority in [
        ("none", None, None),
        ("order", soon, None),
        ("later", soon, 3),
        ("first", None, 1),
        ("second", None, 1),
    ]:
        item = confirm(quantity=1, order=order)
        assert erp.put(item["uri"], {"priority": priority}).status_code == 204
        run = print_run(pieces_of(item))
        assert erp.put(run["uri"], {"status": "queued"}).status_code == 204
        names[run["uri"]] = name

    queue = erp.get(f"{printer_type['uri']}queue/").json()["resources"]

    assert [names[one["run"]] for one in queue] == ["first", "second", "order", "later", "none"]


# ---------------------------------------------------------------- a person always wins


def test_changing_a_run_status_by_hand_detaches_its_attempt(erp, machine, run, attempt, say):
    say(attempt, "printing")

    assert erp.put(run["uri"], {"status": "complete"}).status_code == 204

    assert erp.get(attempt["uri"]).json()["detached"] is True
    assert say(attempt, "failed") == [204]
    assert look(erp, run, machine) == ["complete", "error"]
    refused = erp.post(f"{machine['uri']}clear/", {"rejected": [{"piece": run["pieces"][0]}]})
    assert codes(refused) == {"nothing-on-plate"}
    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200
    assert look(erp, run, machine) == ["complete", "idle"]


def test_starting_a_run_by_hand_withdraws_its_planned_attempt(erp, machine, run, attempt):
    assert erp.put(run["uri"], {"status": "in-progress"}).status_code == 204

    assert look(erp, attempt, machine) == ["never", "idle"]


def test_run_is_deleted_with_its_attempts_that_never_began(erp, run, attempt):
    assert erp.delete(run["uri"]).status_code == 204

    assert erp.get(attempt["uri"]).status_code == 404


def test_piece_failed_by_hand_keeps_its_status_when_the_bed_is_cleared(
    erp, machine, run, attempt, say, pieces_of
):
    say(attempt, "printing")
    assert erp.put(run["pieces"][0], {"status": "error"}).status_code == 204
    say(attempt, "done")

    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200

    made = pieces_of({"uri": erp.get(run["pieces"][0]).json()["line_item"]})
    assert [piece["status"] for piece in made] == ["error", "complete", "complete", "created"]


# ---------------------------------------------------------------- printers


def test_status_of_printer_with_machine_cannot_be_set(erp, machine):
    typed = erp.put(machine["uri"], {"status": "offline"})

    assert (typed.status_code, codes(typed)) == (409, {"set-by-machine"})
    back = machine | {"status": "offline", "name": "Renamed"}
    assert erp.put(machine["uri"], back).status_code == 204
    told = erp.get(machine["uri"]).json()
    assert (told["status"], told["name"]) == ("idle", "Renamed")
    assert erp.put(machine["uri"], {"plate": "clear"}).status_code == 204  # as it is
    assert erp.put(machine["uri"], {"plate": "occupied"}).status_code == 400


def test_status_of_printer_without_machine_can_be_set(erp, machine):
    assert erp.put(machine["uri"], {"driver": None, "status": "offline"}).status_code == 204

    assert look(erp, machine) == ["offline"]
    assert erp.get(machine["uri"]).json()["plate"] == "unknown"


def test_driver_cannot_be_removed_during_an_attempt(erp, machine, attempt):
    answer = erp.put(machine["uri"], {"driver": None})

    assert (answer.status_code, codes(answer)) == (409, {"attempt-open"})


# ---------------------------------------------------------------- who may, and who is told


def test_members_create_attempts_and_clear_the_bed(client_of, member, machine, run):
    member_erp = client_of("erp", member)
    made = member_erp.post("/attempt/", {"run": run["uri"], "printer": machine["uri"]})
    assert made.status_code == 201
    assert member_erp.put(made["Location"], {"status": "never"}).status_code == 204
    assert member_erp.post(f"{machine['uri']}clear/", {}).status_code == 200


def test_strangers_can_neither_create_nor_read_attempts(client_of, stranger, machine, run, attempt):
    bob = client_of("erp", stranger)

    assert bob.post("/attempt/", {"run": run["uri"]}).status_code == 403
    assert bob.get(attempt["uri"]).status_code == 404
    assert bob.post(f"{machine['uri']}clear/", {}).status_code == 404
    assert bob.get(f"{run['uri']}candidates/").status_code == 404


def test_each_status_of_an_attempt_emits_an_event(erp, attempt, say):
    say(attempt, "printing", "done")

    told = erp.get(f"{attempt['uri']}events/").json()["resources"]
    assert {event["type"] for event in told} == {"attempt.printing", "attempt.done"}
