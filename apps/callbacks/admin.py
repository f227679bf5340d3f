"""Operators' pages: who is told what, and how it went; nothing is edited but sent again."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.callbacks.messages import signing_secret
from apps.callbacks.models import Callback, Delivery, Origin, Outcome


class ReadOnly(admin.ModelAdmin):
    """Rows that are shown and never typed in."""

    # Counting a long list costs more than its first page.
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Origin)
class OriginAdmin(ReadOnly):
    list_display = ["origin", "unreachable_since", "probe_at", "slow"]
    list_filter = [("unreachable_since", admin.EmptyFieldListFilter)]
    search_fields = ["origin"]


@admin.register(Callback)
class CallbackAdmin(ReadOnly):
    list_display = ["uri", "method", "url", "owner", "last_seq", "created"]
    list_filter = ["method"]
    list_select_related = ["owner"]
    search_fields = ["uri", "url", "=owner__username"]
    readonly_fields = ["signing_secret"]

    @admin.display(description="signing secret of the owner's account")
    def signing_secret(self, callback: Callback) -> str:
        return signing_secret(callback.owner_id)


class OutcomeInline(admin.TabularInline):
    model = Outcome
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    list_display = ["uuid", "uri", "seq", "origin", "state", "tries", "last_outcome", "created"]
    list_filter = ["state", "last_outcome", "created"]
    list_select_related = ["callback", "origin"]
    search_fields = ["=uuid", "callback__uri", "origin__origin", "=callback__owner__username"]
    inlines = [OutcomeInline]
    actions = ["deliver_again"]

    @admin.display(ordering="callback__uri")
    def uri(self, delivery: Delivery) -> str:
        return delivery.callback.uri

    @admin.action(description="Deliver again", permissions=["view"])
    def deliver_again(self, request: HttpRequest, deliveries: QuerySet[Delivery]) -> None:
        chosen = Delivery.objects.filter(pk__in=deliveries.values("pk"))
        self.message_user(request, f"{chosen.deliver_again(by=request.user)} will be sent again.")
