"""What has had its time goes; what has not stays; and it is never planned twice."""

from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

from core.actors import NIGHTLY_HOUR, clean_up, plan_housekeeping
from core.models import Counter, IdempotentAnswer, Usage
from core.web import throttling


def planned() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM dramatiq.queue WHERE message->>'actor_name' = 'keep_house'"
        )
        return cursor.fetchone()[0]


def test_maintenance_deletes_only_expired_rows(person):
    long_ago = timezone.now() - timedelta(hours=25)
    for key in ("old", "young"):
        IdempotentAnswer.objects.create(user=person, key=key, fingerprint=b"")
        throttling.count(key, 60)
        SessionStore(session_key=None).create()
    IdempotentAnswer.objects.filter(key="old").update(created=long_ago)
    Counter.objects.filter(key="old").update(updated=long_ago)
    Session.objects.filter(pk=Session.objects.first().pk).update(expire_date=long_ago)

    clean_up.fn()

    assert IdempotentAnswer.objects.get().key == "young"
    assert Counter.objects.get().key == "young"
    assert Session.objects.count() == 1


@pytest.mark.parametrize(("hour", "left"), [(NIGHTLY_HOUR, 0), (NIGHTLY_HOUR + 1, 7)])
def test_maintenance_recounts_account_usage_only_at_night(person, monkeypatch, hour, left):
    Usage.objects.create(account=person.pk, bytes=7)
    now = timezone.now().replace(hour=hour)
    monkeypatch.setattr(timezone, "now", lambda: now)

    clean_up.fn()

    assert Usage.objects.get(pk=person.pk).bytes == left


def test_maintenance_is_scheduled_once(db):
    for _ in range(3):
        plan_housekeeping(60_000)
    clean_up.fn()

    assert planned() == 1


def test_maintenance_enqueues_the_hourly_hooks_of_apps(settings, queued):
    clean_up.fn()

    assert [name for name, _ in queued()] == settings.EVENT_HOOKS["hour.over"]
