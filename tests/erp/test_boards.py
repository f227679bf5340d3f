"""What belongs to a bureau is heard by all of its people, whoever made it."""

import json
from urllib.parse import urlencode

import pytest

from apps.callbacks import interface as callbacks
from apps.users.models import User


@pytest.fixture
def listen(client_of):
    """`listen(user, bureau, location=...)`: what they have heard there so far."""

    def read(user: User, bureau: dict | None = None, **arguments) -> list[dict]:
        asked = {"after": 0, **({"bureau": bureau["uri"]} if bureau else {})}
        places = {name: row["uri"] for name, row in arguments.items()}
        answer = client_of("callbacks", user).get(f"/events/?{urlencode(asked | places)}")
        assert answer.status_code == 200, answer.json()
        return [json.loads(line) for line in answer.content.splitlines()]

    return read


@pytest.fixture
def run(confirm, pieces_of, print_run) -> dict:
    return print_run(pieces_of(confirm(quantity=1)))


def told(events: list[dict]) -> list[tuple[int, str]]:
    return [(event["position"], event["type"]) for event in events]


def test_member_reads_events_of_the_bureau_by_its_own_positions(
    bureau, run, send, member, person, listen
):
    send(run, "queued")

    heard = listen(member, bureau)

    assert [event["position"] for event in heard] == list(range(1, len(heard) + 1))
    assert heard[-1]["uri"] == run["uri"] and heard[-1]["type"] == "run.queued"
    assert listen(member) == []
    assert callbacks.broken_rules() == []
    own = {(event["uri"], event["sequence"]) for event in listen(person)}
    assert own == {(event["uri"], event["sequence"]) for event in heard}


def test_each_bureau_numbers_its_events_separately(make, bureau, run, listen, person):
    other = make("bureau", name="Elsewhere")

    assert listen(person, other) == []
    assert listen(person, bureau)[0]["position"] == 1


def test_location_scope_lists_only_events_of_its_machines(
    make, erp, bureau, location, printer, run, listen, member
):
    elsewhere = make("location", bureau=bureau["uri"], name="Hall 2")
    erp.put(printer["uri"], {"driver": "manual"})
    erp.post(f"{printer['uri']}clear/", {})
    attempt = make("attempt", run=run["uri"], printer=printer["uri"])
    erp.put(attempt["uri"], {"status": "printing"})

    here = listen(member, bureau, location=location)

    assert {"attempt.printing", "run.in-progress"} <= {event["type"] for event in here}
    assert set(told(here)) < set(told(listen(member, bureau)))
    assert listen(member, bureau, location=elsewhere) == []


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ("bureau={bureau}", 404, "bureau"),
        ("bureau=9", 404, "bureau"),
        ("location={location}", 400, "location"),
    ],
)
def test_event_scope_is_rejected_for_strangers_and_without_a_bureau(
    client_of, bureau, location, stranger, query, status, field
):
    query = query.format(bureau=bureau["uri"], location=location["uri"])

    answer = client_of("callbacks", stranger).get(f"/events/?{query}")

    assert answer.status_code == status
    assert [error.get("field") for error in answer.json()["errors"]] == [field]


def test_location_scope_requires_a_location_of_the_bureau(make, client_of, bureau, person):
    other = make("bureau", name="Elsewhere")
    far = make("location", bureau=other["uri"], name="Far")
    query = urlencode({"bureau": bureau["uri"], "location": far["uri"]})

    answer = client_of("callbacks", person).get(f"/events/?{query}")

    assert answer.status_code == 404


def test_event_stream_headers_name_the_bureau_and_the_listening_user(client_of, bureau, member):
    answer = client_of("callbacks", member).get(f"/events/?bureau={bureau['uri']}")

    assert answer["Events-Of"] in bureau["uri"]
    assert answer["Heard-By"] == str(member.pk)
