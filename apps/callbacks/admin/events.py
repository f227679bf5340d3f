"""Admin: events and their deliveries."""

from django.contrib import admin

from apps.callbacks.models import Delivery, Event
from core.web.admin_base import ReadOnlyInline, ReadOnlyPage
from core.web.admin_display import link


class DeliveryRows(ReadOnlyInline):
    model = Delivery
    columns = ("page", "subscription", "origin", "state", "tries", "last_outcome", "delivered_at")

    @admin.display(description="delivery")
    def page(self, row: Delivery) -> str:
        return link(row)


@admin.register(Event)
class EventAdmin(ReadOnlyPage):
    """Events, also those without a receiver."""

    list_display = ["type", "uri", "seq", "owner", "created"]
    list_filter = ["type", "created"]
    list_select_related = ["owner"]
    search_fields = ["uri", "type", "=owner__username"]
    ordering = ["-uuid"]
    show_full_result_count = False
    inlines = [DeliveryRows]
