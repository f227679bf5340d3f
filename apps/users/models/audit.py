"""Append-only audit log."""

from django.db import models

from apps.users.models.user import User
from core.resources import Resource


class AuditEvent(Resource):
    """Something that was done to rights, keys or logins; the database refuses to change it.

    `on` is the URI of what it was done to; `before` and `after` hold no secrets.
    """

    SERVICE = "users"
    KIND = "audit-event"

    action = models.CharField(max_length=64)
    # Nobody, where it was not (yet) known who; accounts are never deleted.
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    on = models.TextField(blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    address = models.CharField(max_length=64, blank=True)
    request_id = models.CharField(max_length=128, blank=True)
    # The key of the API token that was used; the token itself may be gone.
    token = models.UUIDField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["action", "uuid"], name="audit_action"),
            models.Index(fields=["on", "uuid"], name="audit_on"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.on}"
