"""manage.py replay_callbacks: chosen by what is known of them, counted first, sent at a rate."""

import time
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery, Subscription
from tests.callbacks.conftest import uri_of


@pytest.fixture
def bob(owner):
    return get_user_model().objects.create(username="bob", name="Bob", email="bob@receiver.example")


@pytest.fixture
def expired(owner, bob, received_callbacks):
    """Five that expired: of models 0 to 3 of `owner`, and of model 4 of bob's."""
    for number, user in enumerate([owner] * 4 + [bob]):
        uri = uri_of(number)
        callbacks.subscribe(uri=uri, url=received_callbacks.url, method="POST", owner_id=user.pk)
        callbacks.emit(uri=uri, owner_id=user.pk, changes={"status": "processed"})
    Delivery.objects.update(state="expired", last_outcome="timeout", since_tick=-5000)
    return Delivery.objects.order_by("uuid")


def replay(*arguments):
    written = StringIO()
    call_command("replay_callbacks", *arguments, stdout=written)
    return written.getvalue()


def waiting():
    rows = Delivery.objects.filter(state="pending").order_by("uuid")
    return [int(uri.split("/")[-2]) for uri in rows.values_list("event__uri", flat=True)]


def test_replay_command_sends_expired_deliveries_with_their_ids(expired, received_callbacks):
    before = sorted(str(row.pk) for row in expired)

    said = replay()

    assert said.endswith("5 of 5 will be sent again\n")
    assert run_once() == 5
    assert sorted(received_callbacks.column("webhook-id")) == before
    assert set(Delivery.objects.values_list("state", flat=True)) == {"delivered"}


def test_replay_command_dry_run_counts_and_changes_nothing(expired, received_callbacks):
    said = replay("--dry-run")

    assert said.splitlines() == [
        f"       5 to http://127.0.0.1:{received_callbacks.port}",
        "5 callbacks",
    ]
    assert waiting() == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--uri", uri_of(2)], [2]),
        (["--owner", "bob"], [4]),
        (["--state", "delivered"], []),
        (["--state", "delivered,expired", "--owner", "ada"], [0, 1, 2, 3]),
        (["--status", "timeout", "--uri", uri_of(1)], [1]),
        (["--status", "500"], []),
        (["--since", "2999-01-01"], []),
        (["--until", "2999-01-01T00:00:00Z", "--owner", "bob"], [4]),
    ],
)
def test_replay_command_combines_all_filters(expired, arguments, expected):
    replay(*arguments)

    assert waiting() == expected


def test_replay_command_selects_by_delivery_id_or_origin(expired, received_callbacks):
    replay("--event", str(expired[3].pk))
    assert waiting() == [3]

    replay("--origin", f"http://127.0.0.1:{received_callbacks.port}")
    assert waiting() == [0, 1, 2, 3, 4]


def test_replay_command_skips_disabled_subscriptions(expired, bob):
    Subscription.objects.filter(owner=bob).update(enabled=False)

    replay()

    assert waiting() == [0, 1, 2, 3]


def test_replay_command_respects_its_rate(expired):
    began = time.monotonic()

    said = replay("--rate", "2", "--owner", "ada")

    assert time.monotonic() - began >= 1.0
    assert said.splitlines()[-2:] == [f"{count} of 4 will be sent again" for count in (2, 4)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--owner", "eve"], "no account eve"),
        (["--state", "lost"], "no state lost"),
        (["--origin", "http://nowhere.example:80"], "Nothing was ever sent to"),
        (["--since", "yesterday"], "invalid moment"),
        (["--rate", "0"], "at least 1"),
    ],
)
def test_replay_command_rejects_invalid_arguments(expired, arguments, said):
    with pytest.raises(CommandError, match=said):
        replay(*arguments)

    assert waiting() == []
