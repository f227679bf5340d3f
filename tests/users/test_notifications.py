"""Notifications of persons and their read state."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.users.actors import NOTIFICATIONS_KEPT, prune_notifications
from apps.users.models import Notification
from apps.users.services.notifications import MAX_UNREAD, Kind, notify, settle

SHOP = "http://erp.platform.test/bureau/01900000-0000-7000-8000-000000000001/"
ORDER = "http://erp.platform.test/order/01900000-0000-7000-8000-000000000002/"
PRINTER = "http://erp.platform.test/printer/01900000-0000-7000-8000-000000000003/"


@pytest.fixture
def users(client_of, person):
    return client_of("users", person)


@pytest.fixture
def happen(person):
    """`happen(Kind.ORDER_RECEIVED, ORDER, number=12)`: the person is notified."""

    def make(kind=Kind.ORDER_RECEIVED, subject=ORDER, **data):
        notify(recipients=[person.pk], kind=kind, subject=subject, shop=SHOP, data=data)

    return make


def listed(users, **arguments) -> list[dict]:
    return users.get("/notifications/", {"sort": "-updated", **arguments}).json()["resources"]


def test_notification_is_listed_and_marked_as_read(users, happen):
    happen(number=12, customer="Bauer")

    (row,) = listed(users)
    assert (row["kind"], row["subject"], row["shop"]) == ("order-received", ORDER, SHOP)
    assert (row["data"], row["count"], row["read"]) == (
        {"number": 12, "customer": "Bauer"},
        1,
        None,
    )
    assert users.put(row["uri"], users.get(row["uri"]).json()).status_code == 204
    assert users.get("/notifications/unread/").json()["count"] == 1
    assert users.put(row["uri"], {"read": row["updated"]}).status_code == 204

    read = users.get(row["uri"]).json()
    assert read["read"] >= row["updated"]
    assert users.get("/notifications/unread/").json() == {"count": 0, "more": False, "newest": []}
    assert users.put(row["uri"], read).status_code == 204
    refused = users.put(row["uri"], {"read": None})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "read")


def test_notifications_of_others_are_not_there(happen, client_of, users, stranger):
    happen()
    (row,) = listed(users)
    others = client_of("users", stranger)

    assert listed(others) == []
    assert others.get("/notifications/unread/").json()["count"] == 0
    assert others.get(row["uri"]).status_code == 404
    assert others.put(row["uri"], {"read": row["updated"]}).status_code == 404
    assert others.post("/notifications/mark-as-read/", {}).json() == {"count": 0}
    assert client_of("users").get("/notifications/").status_code == 401


def test_repeats_of_an_unread_notification_are_counted_in_one(users, happen):
    happen(Kind.PRINTER_ATTENTION, PRINTER, reason="paused")
    happen(Kind.ORDER_RECEIVED)
    happen(Kind.PRINTER_ATTENTION, PRINTER, reason="failed")

    first, second = listed(users)
    assert (first["count"], first["data"]) == (2, {"reason": "failed"})
    assert first["updated"] > second["updated"] > first["created"]

    users.put(first["uri"], {"read": first["updated"]})
    happen(Kind.PRINTER_ATTENTION, PRINTER, reason="paused")
    assert [row["count"] for row in listed(users, **{"filter[subject]": PRINTER})] == [1, 2]


def test_all_up_to_a_time_are_marked_as_read(users, happen):
    happen(subject=ORDER)
    (shown,) = listed(users)
    happen(subject=PRINTER)

    marked = users.post("/notifications/mark-as-read/", {"until": shown["updated"]})

    assert marked.json() == {"count": 1}
    assert [row["subject"] for row in listed(users, **{"filter[unread]": "true"})] == [PRINTER]
    assert [row["subject"] for row in listed(users, **{"filter[unread]": "false"})] == [ORDER]
    assert users.post("/notifications/mark-as-read/", {}).json() == {"count": 1}
    assert users.post("/notifications/mark-as-read/", {"until": "soon"}).status_code == 400


def test_settled_notifications_are_read_for_everybody(users, happen):
    happen(Kind.BED_TO_CLEAR, PRINTER)
    happen(Kind.PRINTER_ATTENTION, PRINTER)

    settle(subject=PRINTER, kinds=[Kind.BED_TO_CLEAR])

    assert {row["kind"]: row["read"] is None for row in listed(users)} == {
        "bed-to-clear": False,
        "printer-attention": True,
    }


def test_kinds_that_a_person_switched_off_are_not_written(users, person, happen, client_of):
    muted = {"muted_notifications": ["order-received"]}
    assert users.put(person.uri, muted).status_code == 204
    assert users.get(person.uri).json()["muted_notifications"] == ["order-received"]

    happen(Kind.ORDER_RECEIVED)
    happen(Kind.ORDER_REVIEW)

    assert [row["kind"] for row in listed(users)] == ["order-review"]
    unknown = users.put(person.uri, {"muted_notifications": ["weather"]})
    assert unknown.status_code == 400
    assert users.put(person.uri, {"muted_notifications": "order-review"}).status_code == 400


def test_accounts_that_cannot_sign_in_get_none(person, happen):
    for field, value in {
        "is_active": False,
        "guest_until": timezone.now() + timedelta(days=1),
        "is_platform_service": True,
    }.items():
        before = getattr(person, field)
        type(person).objects.filter(pk=person.pk).update(**{field: value})
        happen()
        type(person).objects.filter(pk=person.pk).update(**{field: before})

    assert not Notification.objects.exists()


def test_number_of_unread_takes_one_statement_that_an_index_serves(users, person, happen):
    Notification.objects.bulk_create(
        Notification(recipient=person, kind=Kind.JOB_FAILED, subject=f"{ORDER}{at}", updated=None)
        for at in range(MAX_UNREAD)
    )

    with CaptureQueriesContext(
        connection,
    ) as queries:
        unread = users.get("/notifications/unread/").json()

    assert (unread["count"], unread["more"], len(unread["newest"])) == (99, True, 6)
    (read,) = [q["sql"] for q in queries if "users_notification" in q["sql"]]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {read}")
        assert "notification_unread" in str(cursor.fetchall())


def test_notifications_are_deleted_after_90_days(happen):
    happen(subject=ORDER)
    happen(subject=PRINTER)
    late = timezone.now() - NOTIFICATIONS_KEPT - timedelta(hours=1)
    Notification.objects.filter(subject=ORDER).update(updated=late)

    prune_notifications()

    assert [row.subject for row in Notification.objects.all()] == [PRINTER]
