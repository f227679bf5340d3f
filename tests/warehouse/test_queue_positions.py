"""What waits tells its place in the queue."""

import pytest
from django.db import connection

from core.queue import fair_queueing

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(client_of, upload, cube):
    """`waiting(user, n)`: URIs of models of a user's that wait for their verdicts."""

    def make(user, count: int) -> list[str]:
        models = client_of("models", user)
        created = [models.post("/model/", {"name": str(n)}).json() for n in range(count)]
        for model in created:
            upload(model, cube)
        return [model["uri"] for model in created]

    return make


def test_queue_position_counts_the_jobs_before_it_in_fair_order(
    client_of, person, stranger, waiting
):
    models = client_of("models", person)
    own = waiting(person, 3)
    waiting(stranger, 5)

    places = [models.get(uri).json()["queue"]["before"] for uri in own]

    assert places == [0, 1, 3]  # from the second on, a stranger's come in between


def test_first_job_of_a_new_flow_skips_the_backlog_of_another(client_of, person, stranger, waiting):
    waiting(stranger, 20)
    (own,) = waiting(person, 1)

    place = client_of("models", person).get(own).json()["queue"]

    assert place["before"] <= 2
    assert place["seconds"] <= 3


def test_estimated_wait_is_divided_by_the_number_of_running_jobs(client_of, person, waiting):
    uris = waiting(person, 5)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE dramatiq.queue SET cost = 100 WHERE queue_name = 'meshes'")
        cursor.execute(
            "UPDATE dramatiq.queue SET state = 'consumed' WHERE subject = ANY(%s)",
            ([uri.split("/")[-2] for uri in uris[:2]],),
        )

    models = client_of("models", person)
    told = [models.get(uri).json()["queue"] for uri in uris]

    assert told == [
        None,
        None,
        {"before": 0, "seconds": 50},
        {"before": 1, "seconds": 100},
        {"before": 2, "seconds": 150},
    ]


def test_lists_include_queue_positions_only_on_request(client_of, person, waiting):
    waiting(person, 2)
    models = client_of("models", person)

    silent = models.get("/model/").json()["resources"]
    told = models.get("/model/?queue=true&sort=created").json()["resources"]

    assert [one["queue"] for one in silent] == [None, None]
    assert [one["queue"]["before"] for one in told] == [0, 1]
    assert models.get("/model/?queue=perhaps").status_code == 400


def test_model_that_is_not_queued_has_no_queue_position(client_of, person, waiting, run_jobs):
    models = client_of("models", person)
    awaiting_upload = models.post("/model/", {"name": "empty"}).json()
    (judged,) = waiting(person, 1)
    run_jobs()

    assert awaiting_upload["queue"] is None
    assert models.get(judged).json()["queue"] is None


def test_queue_position_is_capped_at_1000(db):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO dramatiq.queue (message_id, queue_name, state, turn, subject)"
            " SELECT gen_random_uuid(), 'slices', 'queued', n, n::text"
            " FROM generate_series(1, 1500) AS n"
        )

    assert fair_queueing.queue_positions(["1500", "7"]) == {
        "1500": {"before": 1000, "seconds": 1000},
        "7": {"before": 6, "seconds": 7},
    }
