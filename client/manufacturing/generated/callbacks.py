"""Callbacks: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

CallbackSinksFilters = TypedDict("CallbackSinksFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "expires": Filter,
    "expires_from": Filter, "expires_to": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
SunkRequest = TypedDict("SunkRequest", {
    "method": str, "query": str | None, "headers": dict[str, str], "body": str | None, "size": int,
    "received": str,
})
Sink = TypedDict("Sink", {
    "uri": str, "url": str, "created": str, "expires": str, "requests": list[SunkRequest],
})
SubscriptionsFilters = TypedDict("SubscriptionsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "enabled": Filter, "location": Filter, "method": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "url": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Subscription = TypedDict("Subscription", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "url": str, "method": str,
    "events": list[str], "enabled": bool, "bureau": str | None, "location": str | None,
})
SubscriptionRequest = TypedDict("SubscriptionRequest", {
    "url": Required[str], "method": Literal["GET", "POST", "PUT"],
    "events": Required[list[Literal["model.processing", "model.processed", "model.error", "model.inoperable", "snapshot.processing", "snapshot.processed", "snapshot.error", "slice.processing", "slice.processed", "slice.error", "operation.complete", "operation.error", "operation.processing", "invoice.overdue", "invoice.paid", "attempt.sent", "attempt.armed", "attempt.printing", "attempt.paused", "attempt.unclear", "attempt.never", "attempt.done", "attempt.stopped", "attempt.failed", "order.new", "order.confirmed", "order.in-progress", "order.complete", "order.cancelled", "line-item.calculating_estimates", "line-item.pending", "line-item.confirmed", "line-item.queued", "line-item.printing", "line-item.post-processing", "line-item.shipping", "line-item.complete", "line-item.cancelled", "line-item.error", "piece.created", "piece.queued", "piece.in-progress", "piece.complete", "piece.error", "piece.cancelled", "price-table.estimated", "price-table.mixed", "price-table.exact", "price-table.error", "print-report.processed", "print-report.error", "run.calculating", "run.calculated", "run.queued", "run.in-progress", "run.complete", "run.error", "document.processing", "document.processed", "document.error", "shipment.shipped", "shipment.cancelled", "order-payment.received", "order-payment.reversed", "print-decision.as-is", "print-decision.replaced", "print-decision.ask", "attempt.*", "document.*", "invoice.*", "line-item.*", "model.*", "operation.*", "order-payment.*", "order.*", "piece.*", "price-table.*", "print-decision.*", "print-report.*", "run.*", "shipment.*", "slice.*", "snapshot.*", "*"]]],
    "enabled": bool, "bureau": str | None, "location": str | None,
}, total=False)
SubscriptionChange = TypedDict("SubscriptionChange", {
    "url": str, "method": Literal["GET", "POST", "PUT"],
    "events": list[Literal["model.processing", "model.processed", "model.error", "model.inoperable", "snapshot.processing", "snapshot.processed", "snapshot.error", "slice.processing", "slice.processed", "slice.error", "operation.complete", "operation.error", "operation.processing", "invoice.overdue", "invoice.paid", "attempt.sent", "attempt.armed", "attempt.printing", "attempt.paused", "attempt.unclear", "attempt.never", "attempt.done", "attempt.stopped", "attempt.failed", "order.new", "order.confirmed", "order.in-progress", "order.complete", "order.cancelled", "line-item.calculating_estimates", "line-item.pending", "line-item.confirmed", "line-item.queued", "line-item.printing", "line-item.post-processing", "line-item.shipping", "line-item.complete", "line-item.cancelled", "line-item.error", "piece.created", "piece.queued", "piece.in-progress", "piece.complete", "piece.error", "piece.cancelled", "price-table.estimated", "price-table.mixed", "price-table.exact", "price-table.error", "print-report.processed", "print-report.error", "run.calculating", "run.calculated", "run.queued", "run.in-progress", "run.complete", "run.error", "document.processing", "document.processed", "document.error", "shipment.shipped", "shipment.cancelled", "order-payment.received", "order-payment.reversed", "print-decision.as-is", "print-decision.replaced", "print-decision.ask", "attempt.*", "document.*", "invoice.*", "line-item.*", "model.*", "operation.*", "order-payment.*", "order.*", "piece.*", "price-table.*", "print-decision.*", "print-report.*", "run.*", "shipment.*", "slice.*", "snapshot.*", "*"]],
    "enabled": bool, "bureau": str | None, "location": str | None,
}, total=False)
WebhookSecretsFilters = TypedDict("WebhookSecretsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "expires": Filter,
    "expires_from": Filter, "expires_to": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
WebhookSecret = TypedDict("WebhookSecret", {
    "uri": str, "secret": str | None, "created": str, "expires": str | None,
})


class Callbacks(Methods):
    """State change events, delivered by webhooks with retries or as an event stream."""

    NAME = "callbacks"

    def callback_sinks(self, **filters: Unpack[CallbackSinksFilters]) -> Iterator[Sink]:
        """List sinks."""
        return self._list(self._at("/callback-sink/"), filters)

    def callback_sink(self) -> Sink:
        """Create a sink."""
        return self._post(self._at("/callback-sink/"), {})

    def get_callback_sink(self, callback_sink: Ref) -> Sink:
        """Get a sink."""
        return self._get(callback_sink)

    def delete_callback_sink(self, callback_sink: Ref) -> None:
        """Delete a sink."""
        self._client.delete(callback_sink)

    def subscriptions(self, **filters: Unpack[SubscriptionsFilters]) -> Iterator[Subscription]:
        """List subscriptions."""
        return self._list(self._at("/subscription/"), filters)

    def subscription(self, **fields: Unpack[SubscriptionRequest]) -> Subscription:
        """Create a subscription."""
        return self._post(self._at("/subscription/"), fields)

    def get_subscription(self, subscription: Ref) -> Subscription:
        """Get a subscription."""
        return self._get(subscription)

    def change_subscription(
        self, subscription: Ref, /, **fields: Unpack[SubscriptionChange],
    ) -> None:
        """Update a subscription."""
        self._put(subscription, fields)

    def delete_subscription(self, subscription: Ref) -> None:
        """Delete a subscription."""
        self._client.delete(subscription)

    def webhook_secrets(self, **filters: Unpack[WebhookSecretsFilters]) -> Iterator[WebhookSecret]:
        """List webhook secrets."""
        return self._list(self._at("/webhook-secret/"), filters)

    def webhook_secret(self) -> WebhookSecret:
        """Create a webhook secret."""
        return self._post(self._at("/webhook-secret/"), {})

    def get_webhook_secret(self, webhook_secret: Ref) -> WebhookSecret:
        """Get a webhook secret."""
        return self._get(webhook_secret)

    def delete_webhook_secret(self, webhook_secret: Ref) -> None:
        """Delete a webhook secret."""
        self._client.delete(webhook_secret)
