"""One piece of a print goes wrong: it is left out, and replaced."""

import pytest

from apps.erp.models import Run
from apps.slicing.models import Slice
from tests.erp.agents.conftest import code_of, report
from tests.erp.conftest import key_of


@pytest.fixture
def labelled(attempt, run, person, client_of) -> dict:
    """The run, which is printed by its slice: its gcode labels its pieces."""
    values = {"print_quality": "standard", "infill_density": 20}
    body = {"engine": "slic3r", "parameters": values}
    config = client_of("slicing", person).post("/config/curated/", body)["Location"]
    pieces = [
        {"name": f"p_{number}_{key_of({'uri': uri})[-8:]}", "piece": uri}
        for number, uri in enumerate(run["pieces"], start=1)
    ]
    sliced = Slice.objects.create(
        owner=person,
        model_uri="http://models.platform.test/model/0/",
        config_id=key_of({"uri": config}),
        plate={"firmware": "marlin", "pieces": pieces},
    )
    Run.objects.filter(pk=key_of(run)).update(slice_uri=sliced.uri, gcode_uri=None)
    return {**run, "names": [piece["name"] for piece in pieces]}


def start(see, machine: dict, attempt: dict, agent) -> None:
    see(machine, "idle", report(attempt, "sent"))
    agent.post("/agent/permit/", {"name": attempt["name"]})
    see(machine, "printing", report(attempt, "printing"), job=attempt["name"])


def test_excluded_piece_is_skipped_by_the_agent_and_replaced(
    agent, erp, machine, labelled, attempt, see, pieces_of
):
    start(see, machine, attempt, agent)
    piece = labelled["pieces"][1]

    for _ in range(2):
        assert erp.put(attempt["uri"], {"skip": piece}).status_code == 204

    (order,) = see(machine, "printing", job=attempt["name"])["attempts"]
    name = labelled["names"][1]
    part = {"name": name, "number": 1, "firmware": "marlin", "label": None}
    assert order["skip"] == [part]
    lost = erp.get(piece).json()
    assert lost["status"] == "error"
    made = pieces_of({"uri": lost["line_item"]})
    assert [one["status"] for one in made] == [
        "in-progress", "error", "in-progress", "created",
    ]  # fmt: skip
    told = {"object": part["name"], "how": "asked"}
    said = report(attempt, "printing", skips=[told])
    assert see(machine, "printing", said, said)["attempts"][0]["skip"] == []
    shown = erp.get(attempt["uri"]).json()
    assert shown["skips"] == [{"piece": piece, **told}]
    (noted,) = [one for one in shown["evidence"] if "leave" in one["what"]]
    assert noted["what"] == f"leave {piece} out: asked"


def test_piece_set_to_error_during_printing_is_excluded_from_the_print(
    agent, erp, machine, labelled, attempt, see
):
    start(see, machine, attempt, agent)

    assert erp.put(labelled["pieces"][0], {"status": "error"}).status_code == 204

    (order,) = see(machine, "printing", job=attempt["name"])["attempts"]
    assert [one["name"] for one in order["skip"]] == [labelled["names"][0]]


def test_excluded_piece_is_replaced_when_the_gcode_has_no_labels(
    agent, erp, machine, run, attempt, see
):
    start(see, machine, attempt, agent)

    assert erp.put(attempt["uri"], {"skip": run["pieces"][0]}).status_code == 204

    assert see(machine, "printing", job=attempt["name"])["attempts"][0]["skip"] == []
    shown = erp.get(attempt["uri"]).json()
    assert [(one["object"], one["how"]) for one in shown["skips"]] == [(None, "cannot")]
    assert erp.get(run["pieces"][0]).json()["status"] == "error"


def test_only_pieces_of_a_running_attempt_can_be_excluded(
    agent, erp, machine, run, attempt, see, confirm, pieces_of
):
    early = erp.put(attempt["uri"], {"skip": run["pieces"][0]})
    start(see, machine, attempt, agent)
    (foreign,) = pieces_of(confirm(quantity=1))
    other = erp.put(attempt["uri"], {"skip": foreign["uri"]})

    assert (early.status_code, code_of(early)) == (409, "not-printing")
    assert (other.status_code, code_of(other)) == (409, "piece-not-on-plate")
    assert erp.get(run["pieces"][0]).json()["status"] == "in-progress"
    assert erp.get(foreign["uri"]).json()["status"] == "created"


def test_exclusion_without_report_until_the_end_is_recorded_as_cannot(
    agent, erp, machine, labelled, attempt, see
):
    start(see, machine, attempt, agent)
    assert erp.put(attempt["uri"], {"skip": labelled["pieces"][2]}).status_code == 204

    see(machine, "done", report(attempt, "done"))

    assert [one["how"] for one in erp.get(attempt["uri"]).json()["skips"]] == ["cannot"]
