"""Where each state leads by PUT."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from apps.erp.models import LineItem, Piece, Run
from tests.erp.conftest import key_of

LINE_ITEM = {
    "new": {"cancelled"},
    "calculating_estimates": {"cancelled"},
    "pending": {"calculating_estimates", "confirmed", "cancelled"},
    "confirmed": {"cancelled"},
    "queued": set(),
    "printing": set(),
    "post-processing": set(),
    "shipping": set(),
    "complete": set(),
    "cancelled": {"pending"},
    "error": {"calculating_estimates"},
}
RUN = {
    "created": {"error"},
    "calculating": {"calculated", "error"},
    "calculated": {"queued", "in-progress", "error"},
    "queued": {"in-progress", "error"},
    "in-progress": {"complete", "error"},
    "complete": set(),
    "error": set(),
}
PIECE = {
    "created": {"error"},
    "queued": {"error"},
    "in-progress": {"created", "error"},
    "complete": set(),
    "error": set(),
    "cancelled": set(),
}
PIECE_AT_ITS_LAST_STEP = PIECE | {"in-progress": {"complete", "error"}}


@pytest.fixture
def tried(erp) -> Callable[..., dict[str, dict]]:
    """`tried(row, states)`: where a PUT of each state leads from here; nothing of it stays."""

    def put(row: Any, states: Any) -> dict[str, dict]:
        answers = {}
        for state in states:
            with transaction.atomic():
                answers[state] = erp.put(row.uri, {"status": state})
                transaction.set_rollback(True)
        return answers

    return put


def check(answers: dict[str, Any], source: str, allowed: set[str]) -> None:
    """Whatever is not allowed is refused by the names of both states."""
    assert {state for state, answer in answers.items() if answer.status_code == 204} == allowed
    for state in answers.keys() - allowed:
        (error,) = answers[state].json()["errors"]
        assert (answers[state].status_code, error["code"]) == (409, "illegal-transition")
        assert (error["details"]["from"], error["details"]["to"]) == (source, state)
        assert f"is {source} and cannot become {state}" in error["title"]


@pytest.mark.parametrize("source", LINE_ITEM)
def test_line_item_transitions_match_the_table(confirm, tried, source):
    row = LineItem.objects.get(pk=key_of(confirm(quantity=1)))
    LineItem.objects.filter(pk=row.pk).update(status=source)

    answers = tried(row, LINE_ITEM.keys() - {source})

    check(answers, source, LINE_ITEM[source])


@pytest.mark.parametrize("source", RUN)
def test_run_transitions_match_the_table(confirm, pieces_of, print_run, tried, source):
    made = print_run(pieces_of(confirm(quantity=2)))
    Run.objects.filter(pk=key_of(made)).update(status=source)
    Piece.objects.update(status="in-progress" if source == "in-progress" else "queued")

    answers = tried(Run.objects.get(), RUN.keys() - {source})

    check(answers, source, RUN[source])


@pytest.mark.parametrize("table", [PIECE, PIECE_AT_ITS_LAST_STEP])
@pytest.mark.parametrize("source", PIECE)
def test_piece_transitions_match_the_table(
    confirm, workflow, pieces_of, print_run, tried, source, table
):
    last = table is PIECE_AT_ITS_LAST_STEP
    print_run(pieces_of(confirm(quantity=1, workflow=None if last else workflow)))
    Piece.objects.update(status=source)

    answers = tried(Piece.objects.get(), PIECE.keys() - {source})

    check(answers, source, table[source])


def test_current_status_can_be_put_again(confirm, pieces_of, print_run, send):
    (piece,) = pieces_of(confirm(quantity=1))
    run = print_run([piece])

    assert send(piece, "queued", "queued") == 204
    assert send(run, "calculated", "queued", "queued", "in-progress", "in-progress") == 204
