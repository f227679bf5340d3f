"""Admin: receiving origins and the state of their circuit breakers."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from apps.callbacks.models import Delivery, Origin
from apps.callbacks.services.probing import probe
from core.web.admin_base import ReadOnlyPage


@admin.register(Origin)
class OriginAdmin(ReadOnlyPage):
    """Origins of callback URLs and whether they answer."""

    list_display = ["origin", "unreachable_since", "probe_at", "slow"]
    list_filter = [("unreachable_since", admin.EmptyFieldListFilter)]
    search_fields = ["origin"]
    readonly_fields = ["waiting"]
    ordering = ["origin"]
    actions = ["probe_now"]

    @admin.display(description="pending deliveries")
    def waiting(self, origin: Origin) -> str:
        """How many callbacks wait, and where they are listed."""
        waiting = Delivery.objects.filter(origin=origin, state=Delivery.State.PENDING).count()
        page = reverse("admin:callbacks_delivery_changelist")
        query = f"?origin__id__exact={origin.pk}&state__exact=pending"
        return format_html('<a href="{}{}">{} callbacks</a>', page, query, waiting)

    @admin.action(description="Probe now", permissions=["act"])
    def probe_now(self, request: HttpRequest, origins: QuerySet[Origin]) -> None:
        """Probe the selected origins at once with their oldest pending delivery."""
        probed = [origin.origin for origin in origins if probe(origin)]
        if probed:
            self.message_user(request, f"Asked: {', '.join(probed)}.")
        else:
            self.message_user(request, "Nothing waits for these, so nothing was asked.")
