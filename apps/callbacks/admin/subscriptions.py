"""Operators' pages: who is told, and where."""

from django.contrib import admin

from apps.callbacks.models import Origin, Subscription
from core.admin import Watched


@admin.register(Origin)
class OriginAdmin(Watched):
    """Servers that callbacks go to."""

    list_display = ["origin", "unreachable_since", "probe_at", "slow"]
    list_filter = [("unreachable_since", admin.EmptyFieldListFilter)]
    search_fields = ["origin"]


@admin.register(Subscription)
class SubscriptionAdmin(Watched):
    """The callbacks of resources, and the subscriptions of accounts."""

    list_display = ["url", "method", "uri", "owner", "created"]
    list_filter = ["method", ("uri", admin.EmptyFieldListFilter)]
    list_select_related = ["owner"]
    search_fields = ["uri", "url", "=owner__username"]
    ordering = ["-uuid"]
    show_full_result_count = False
