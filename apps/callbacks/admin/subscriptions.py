"""Admin: subscriptions."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.callbacks.models import Subscription
from apps.callbacks.services import subscriptions
from core.web.admin_base import ReadOnlyPage


@admin.register(Subscription)
class SubscriptionAdmin(ReadOnlyPage):
    """The callbacks of resources, and the subscriptions of accounts."""

    list_display = ["url", "method", "resource", "events", "owner", "enabled", "created"]
    list_filter = [
        "enabled",
        "method",
        ("resource", admin.EmptyFieldListFilter),
        ("bureau", admin.EmptyFieldListFilter),
        "created",
    ]
    list_select_related = ["owner"]
    search_fields = ["resource", "url", "=owner__username", "=bureau"]
    ordering = ["-uuid"]
    show_full_result_count = False
    actions = ["disable", "enable"]

    @admin.action(description="Disable and cancel pending deliveries", permissions=["act"])
    def disable(self, request: HttpRequest, chosen: QuerySet[Subscription]) -> None:
        for subscription in chosen:
            subscriptions.update_subscription(subscription=subscription, enabled=False)

    @admin.action(description="Enable", permissions=["act"])
    def enable(self, request: HttpRequest, chosen: QuerySet[Subscription]) -> None:
        for subscription in chosen:
            subscriptions.update_subscription(subscription=subscription, enabled=True)
