"""URLs of the callbacks host."""

from django.urls import path

from apps.callbacks.domain.event_types import schemas
from apps.callbacks.views.events import EventsView
from apps.callbacks.views.secrets import WebhookSecretViewSet
from apps.callbacks.views.sinks import SinkViewSet, take
from apps.callbacks.views.subscriptions import SubscriptionViewSet
from core.api.urls import READ, document, resources

KEPT_OR_DELETED = {**READ, "delete": "destroy"}

urlpatterns = [
    path("events/", EventsView.as_view(), name="events"),
    *resources(SinkViewSet, one=KEPT_OR_DELETED),
    path("sink/<str:token>/", take, name="sink"),
    *resources(SubscriptionViewSet),
    *resources(WebhookSecretViewSet, one=KEPT_OR_DELETED),
    *document(
        "apps.callbacks.urls",
        "callbacks",
        about="State change events, delivered by webhooks with retries or as an event stream.",
        webhooks=schemas,
    ),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
