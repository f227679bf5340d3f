"""Admin: deliveries and their attempts; read-only, except for redelivery."""

from datetime import datetime

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html

from apps.callbacks.domain.messages import write_message
from apps.callbacks.models import Delivery, Outcome
from apps.callbacks.services.secrets import signing_secrets
from core.web.admin_base import ReadOnlyInline, ReadOnlyPage
from core.web.admin_display import shown


class OutcomeRows(ReadOnlyInline):
    model = Outcome
    columns = ("outcome", "count", "first_at", "last_at", "ms", "response_head")


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyPage):
    """Events on their way to subscriptions."""

    list_display = [
        "uuid",
        "uri",
        "seq",
        "origin",
        "owner",
        "state",
        "tries",
        "last_outcome",
        "next_attempt",
        "created",
    ]
    list_filter = [
        "state",
        "last_outcome",
        ("origin__unreachable_since", admin.EmptyFieldListFilter),
        "created",
    ]
    list_select_related = ["event", "origin", "owner"]
    search_fields = ["=uuid", "event__uri", "origin__origin", "=owner__username"]
    readonly_fields = ["next_attempt", "sent"]
    ordering = ["-uuid"]
    show_full_result_count = False
    inlines = [OutcomeRows]
    actions = ["deliver_again"]
    failed = Q(state=Delivery.State.EXPIRED)
    failed_at = "last_at"
    again = "deliver_again"

    def why(self, delivery: Delivery) -> str:
        return f"{delivery.origin}: {delivery.last_outcome}, {delivery.tries} times"

    @admin.display(ordering="event__uri")
    def uri(self, delivery: Delivery) -> str:
        return shown(delivery.event.uri)

    @admin.display(ordering="next_at")
    def next_attempt(self, delivery: Delivery) -> datetime | None:
        return delivery.next_attempt

    @admin.display(description="payload")
    def sent(self, delivery: Delivery) -> str:
        """The last request, or the one to come, byte for byte but for what HTTP itself adds."""
        message = write_message(
            method=delivery.subscription.method,
            url=delivery.subscription.url,
            body=delivery.event.body,
            webhook_id=delivery.uuid,
            secrets=signing_secrets(delivery.owner_id),
            seq=delivery.seq,
            attempt=max(delivery.tries, 1),
            timestamp=int((delivery.last_at or timezone.now()).timestamp()),
        )
        lines = [f"{message.method} {message.url}"]
        lines += [f"{name}: {value}" for name, value in message.headers.items()]
        return format_html("<pre>{}\n\n{}</pre>", "\n".join(lines), (message.body or b"").decode())

    @admin.action(description="Redeliver", permissions=["act"])
    def deliver_again(self, request: HttpRequest, deliveries: QuerySet[Delivery]) -> None:
        chosen = Delivery.objects.filter(pk__in=deliveries.values("pk"))
        count = chosen.deliver_again(by=request.user)
        left = len(deliveries) - count
        without = f"; {left} have no receiver any more" if left else ""
        self.message_user(request, f"{count} will be sent again{without}.")
