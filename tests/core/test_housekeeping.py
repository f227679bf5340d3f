"""What has had its time goes; what has not stays; and it is never planned twice."""

from datetime import timedelta

from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

from core import throttle
from core.actors import keep_house, plan_housekeeping
from core.models import Counter, IdempotentAnswer


def planned() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM dramatiq.queue WHERE message->>'actor_name' = 'keep_house'"
        )
        return cursor.fetchone()[0]


def test_the_old_goes_and_the_young_stays(person):
    long_ago = timezone.now() - timedelta(hours=25)
    for key in ("old", "young"):
        IdempotentAnswer.objects.create(user=person, key=key, fingerprint=b"")
        throttle.count(key, 60)
        SessionStore(session_key=None).create()
    IdempotentAnswer.objects.filter(key="old").update(created=long_ago)
    Counter.objects.filter(key="old").update(updated=long_ago)
    Session.objects.filter(pk=Session.objects.first().pk).update(expire_date=long_ago)

    keep_house.fn()

    assert IdempotentAnswer.objects.get().key == "young"
    assert Counter.objects.get().key == "young"
    assert Session.objects.count() == 1


def test_however_often_it_is_planned_it_is_planned_once(db):
    for _ in range(3):
        plan_housekeeping(60_000)
    keep_house.fn()

    assert planned() == 1
