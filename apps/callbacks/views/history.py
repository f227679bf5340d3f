"""Views: events of a resource (`<resource>/events/` on its service's host)."""

from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.callbacks.models import Event
from apps.callbacks.serializers.event import EventAnswer, event_resource
from apps.callbacks.services import history
from apps.callbacks.services.event_scopes import visible_changes
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ResourceViewSet
from core.errors import NotFound
from core.state_machine import EventScope
from core.uris import resource_uri


class HistoryViewSet(ResourceViewSet):
    """The events of a resource, for callers who may read it.

    of : the viewset of the resource, which checks the right to read
    """

    of: type[ResourceViewSet] = ResourceViewSet
    kind = Event
    listing = ListOptions(
        filters={
            "type": Column("type"),
            "sequence": Column("seq", list_queries.number, ordered=True),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid", "sequence": "seq"},
    )

    def rows(self) -> QuerySet[Event]:
        keys = {name: value for name, value in self.kwargs.items() if name != "seq"}
        view = self.of(request=self.request, kwargs=keys)
        view.row(keys["uuid"])
        return history.events_of(
            resource_uri(self.of.kind.SERVICE, self.of.kind.KIND, **keys), user=self.caller
        )

    def represent(self, row: Event) -> EventAnswer:
        event = event_resource(row)
        if row.bureau is None or row.owner_id == self.caller.pk or self._board is None:
            return event
        return {**event, "changes": visible_changes(row.changes, self._board)}

    @cached_property
    def _board(self) -> EventScope | None:
        """The bureau of the resource as the caller reads it; None where they do not."""
        return history.bureau_read(
            resource_uri(self.of.kind.SERVICE, self.of.kind.KIND, uuid=self.kwargs["uuid"]),
            self.caller,
        )

    def kind_listed(self) -> str:
        return "event"

    @extend_schema(request=None, responses={202: EventAnswer})
    def replay(self, request: Request, seq: int, **keys: Any) -> Response:
        """Deliver the event again to the caller's receivers."""
        history.replay(self._event(seq), user=self.caller)
        return Response(self.represent(self._event(seq)), 202)

    def _event(self, seq: int) -> Event:
        found = self.rows().filter(seq=seq).first()
        if found is None:
            raise NotFound("There is no such event of this resource, or not for you.")
        return found
