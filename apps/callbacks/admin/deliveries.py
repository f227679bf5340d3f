"""Operators' pages: what is told to whom, and how it went; nothing is edited but sent again."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.callbacks.models import Delivery, Outcome
from core.admin import Watched


class OutcomeInline(admin.TabularInline):
    model = Outcome
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Delivery)
class DeliveryAdmin(Watched):
    """Events on their way to subscriptions."""

    list_display = ["uuid", "uri", "seq", "origin", "state", "tries", "last_outcome", "created"]
    list_filter = ["state", "last_outcome", "created"]
    list_select_related = ["event", "origin"]
    search_fields = ["=uuid", "event__uri", "origin__origin", "=subscription__owner__username"]
    readonly_fields = ["body"]
    ordering = ["-uuid"]
    show_full_result_count = False
    inlines = [OutcomeInline]
    actions = ["deliver_again"]

    @admin.display(ordering="event__uri")
    def uri(self, delivery: Delivery) -> str:
        return delivery.event.uri

    @admin.display(description="what is sent")
    def body(self, delivery: Delivery) -> str:
        return delivery.event.body

    @admin.action(description="Deliver again", permissions=["view"])
    def deliver_again(self, request: HttpRequest, deliveries: QuerySet[Delivery]) -> None:
        chosen = Delivery.objects.filter(pk__in=deliveries.values("pk"))
        self.message_user(request, f"{chosen.deliver_again(by=request.user)} will be sent again.")
