"""Views: notifications of a person."""

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.users.models import Notification
from apps.users.serializers.notification import (
    NotificationSerializer,
    ReadAllAnswer,
    ReadAllSerializer,
    UnreadAnswer,
    notification_resource,
)
from apps.users.services import notifications
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet

NEWEST = 6  # of the unread ones


def _is_unread(value: str) -> Q:
    return Q(read__isnull=list_queries.boolean(value))


class NotificationViewSet(ResourceViewSet):
    """Notifications of the caller."""

    says = {"update": "Mark a notification as read"}
    kind = Notification
    serializer_class = NotificationSerializer
    represent = staticmethod(notification_resource)
    writes = notifications
    listing = ListOptions(
        filters={
            "kind": Column("kind"),
            "shop": Column("shop", list_queries.uri),
            "subject": Column("subject", list_queries.uri),
            "read": Column("read", list_queries.time, ordered=True),
            "updated": Column("updated", list_queries.time, ordered=True),
        },
        plain={"filter[unread]": _is_unread},
        sort={"created": "uuid", "updated": "updated"},
    )

    def rows(self) -> QuerySet[Notification]:
        return Notification.objects.filter(recipient=self.caller)


class UnreadView(ApiView):
    """How many are unread, at most 100 counted, and the newest of them."""

    says = {"get": "Count unread notifications"}

    @extend_schema(responses={200: UnreadAnswer})
    def get(self, request: Request) -> Response:
        rows = notifications.unread_of(self.caller)
        more = len(rows) == notifications.MAX_UNREAD
        return Response(
            {
                "count": len(rows) - more,
                "more": more,
                "newest": [notification_resource(row) for row in rows[:NEWEST]],
            }
        )


class ReadAllView(ApiView):
    """Marks all notifications of the caller as read."""

    says = {"post": "Mark all notifications as read"}

    @extend_schema(request=ReadAllSerializer, responses={200: ReadAllAnswer})
    def post(self, request: Request) -> Response:
        serializer = ReadAllSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        count = notifications.mark_all_as_read(actor=self.caller, **serializer.validated_data)
        return Response({"count": count})
