"""Views: subscriptions."""

from functools import partial

from django.db.models import QuerySet

from apps.callbacks.models import Subscription
from apps.callbacks.serializers.subscription import SubscriptionSerializer, subscription_resource
from apps.callbacks.services import subscriptions
from apps.callbacks.services.event_scopes import board_of
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet
from core.errors import NotFound, UnknownResource


class SubscriptionViewSet(ResourceViewSet):
    kind = Subscription
    serializer_class = SubscriptionSerializer
    represent = staticmethod(subscription_resource)
    listing = ListOptions(
        filters={
            "url": Column("url"),
            "method": Column("method"),
            "enabled": Column("enabled", list_queries.boolean),
            "bureau": Column("bureau", partial(list_queries.key_of_kind, "bureau")),
            "location": Column("location", partial(list_queries.key_of_kind, "location")),
            "created": Column("created", list_queries.time, ordered=True),
            "updated": Column("updated", list_queries.time, ordered=True),
        },
        search={"url": "url"},
        sort={"created": "uuid", "updated": "updated", "url": "url"},
    )

    def rows(self) -> QuerySet[Subscription]:
        return Subscription.objects.of_account(self.caller.pk)

    def perform_create(self, values: ValidatedData) -> Subscription:
        named = {name: values.pop(name, None) or None for name in ("bureau", "location")}
        try:
            board = board_of(**named, user=self.caller)
        except NotFound as error:
            raise UnknownResource(error.title, field=error.field) from error
        return subscriptions.create_subscription(owner_id=self.caller.pk, board=board, **values)

    def perform_update(self, row: Subscription, values: ValidatedData) -> None:
        subscriptions.update_subscription(subscription=row, **values)

    def perform_destroy(self, row: Subscription) -> None:
        subscriptions.delete_subscription(subscription=row)
