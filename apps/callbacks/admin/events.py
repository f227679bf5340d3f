"""Operators' pages: events, and what was made of each."""

from django.contrib import admin
from django.http import HttpRequest

from apps.callbacks.models import Delivery, Event
from core.admin import Watched


class DeliveryInline(admin.TabularInline):
    model = Delivery
    fields = ["subscription", "origin", "state", "tries", "last_outcome", "delivered_at"]
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Event)
class EventAdmin(Watched):
    """What happened, whether or not anybody was told."""

    list_display = ["type", "uri", "seq", "owner", "created"]
    list_filter = ["type", "created"]
    list_select_related = ["owner"]
    search_fields = ["uri", "type", "=owner__username"]
    ordering = ["-uuid"]
    show_full_result_count = False
    inlines = [DeliveryInline]
