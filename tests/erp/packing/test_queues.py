"""The queue of a packed run: quick or slow, by its packer, budget and pieces."""

import pytest
from django.db import connection


def queue_of(run: str) -> str:
    with connection.cursor() as cursor:
        statement = "SELECT queue_name FROM dramatiq.queue WHERE subject = %s"
        cursor.execute(statement, [run.rstrip("/").rpartition("/")[2]])
        (name,) = cursor.fetchone()
    return name


def test_small_box_run_is_packed_in_the_quick_queue(create_runs, confirmed, box_model):
    run = create_runs(confirmed(box_model(20, 30, 40), 4), budget="thorough").json()

    assert queue_of(run["uri"]) == "packing"


@pytest.mark.parametrize(
    ("count", "budget", "queue"),
    [
        (4, "quick", "packing"),
        (75, "quick", "packing_slow"),
        (4, "standard", "packing_slow"),
        (4, "thorough", "packing_slow"),
    ],
)
def test_run_by_true_shape_is_quick_or_slow_by_its_pieces_and_budget(
    create_runs, confirmed, box_model, premium, count, budget, queue
):
    run = create_runs(confirmed(box_model(10, 10, 10), count), budget=budget).json()

    assert queue_of(run["uri"]) == queue
