"""The account of who did what."""

import pytest
from django.db import DatabaseError, transaction

from apps.users.models import AuditEvent
from apps.users.services.audit import record


@pytest.fixture
def event(person) -> AuditEvent:
    record(action="permission.granted", actor=person, on="http://x/", after={"right": "read"})
    return AuditEvent.objects.get()


def test_an_event_is_never_changed_or_deleted(event):
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
