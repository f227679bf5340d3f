"""Views: audit log."""

from uuid import UUID

from django.db.models import QuerySet

from apps.users.models import AuditEvent
from apps.users.serializers.audit import event_resource
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet
from core.errors import Forbidden


class AuditEventViewSet(ResourceViewSet):
    kind = AuditEvent
    represent = staticmethod(event_resource)
    listing = ListOptions(
        filters={
            "action": Column("action"),
            "actor": Column("actor", list_queries.key_in_uri),
            "on": Column("on", list_queries.uri),
            "address": Column("address"),
            "request_id": Column("request_id"),
            "token": Column("token", UUID),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid"},
    )

    def rows(self) -> QuerySet[AuditEvent]:
        if not self.caller.is_staff:
            raise Forbidden("Only administrators can read the audit log.")
        return AuditEvent.objects.select_related("actor")
