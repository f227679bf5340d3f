"""The account of who did what."""

import base64
from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from apps.users.models import ApiToken, AuditEvent
from apps.users.services import tokens
from apps.users.services.audit import record


@pytest.fixture
def event(person) -> AuditEvent:
    record(action="permission.granted", actor=person, on="http://x/", after={"right": "read"})
    return AuditEvent.objects.get()


def test_audit_event_cannot_be_changed_or_deleted(event):
    for change in (
        lambda: AuditEvent.objects.update(action="nothing"),
        lambda: AuditEvent.objects.all().delete(),
        event.delete,
        event.save,
    ):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            change()

    kept = AuditEvent.objects.get()
    assert (kept.action, kept.after) == ("permission.granted", {"right": "read"})


def test_administrator_reads_and_filters_the_audit_log(client_of, operator, event, person):
    record(action="other", actor=None)
    root = client_of("users", operator)

    listed = root.get(f"/audit-events/?filter[actor]={person.uri}&filter[on]=http://x/").json()

    assert listed["resources"] == [
        {
            "uri": f"http://users.platform.test/audit-events/{event.pk}/",
            "uuid": str(event.pk),
            "action": "permission.granted",
            "actor": person.uri,
            "on": "http://x/",
            "before": None,
            "after": {"right": "read"},
            "address": None,
            "request_id": None,
            "token": None,
            "created": listed["resources"][0]["created"],
        }
    ]
    assert root.get(event.uri).json() == listed["resources"][0]
    assert root.get("/audit-events/?filter[action]=other").json()["meta"] == {"count": 1}


def test_audit_log_is_hidden_from_users_and_read_only_for_administrators(
    client_of, operator, event, person
):
    user, root = client_of("users", person), client_of("users", operator)

    assert user.get("/audit-events/").status_code == 403
    assert user.get(event.uri).status_code == 403
    for method in (root.put, root.delete, root.patch):
        assert method(event.uri, {"action": "x"}).status_code == 405
    assert root.post("/audit-events/", {"action": "x"}).status_code == 405
    assert AuditEvent.objects.get().action == "permission.granted"


def test_audit_event_is_rolled_back_with_its_transaction(person):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        record(action="group.created", actor=person)
        1 / 0  # noqa: B018

    assert AuditEvent.objects.count() == 0


def test_first_token_use_of_a_day_is_recorded_in_audit_log(client_of, person):
    token = tokens.make_token(user=person, actor=person)
    pair = base64.b64encode(f"{token.uuid}:{token.secret}".encode()).decode()

    def use() -> None:
        client_of("models").get("/model/", headers={"Authorization": f"Basic {pair}"})

    def used() -> list[AuditEvent]:
        return list(AuditEvent.objects.filter(action="api-token.used"))

    use()
    use()
    (event,) = used()
    assert (event.actor, event.on, event.token) == (person, token.uri, token.uuid)
    assert event.address == "127.0.0.1"
    ApiToken.objects.update(last_used=event.created - timedelta(days=1))
    use()
    assert len(used()) == 2
