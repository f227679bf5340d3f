"""{callbacks_url}"""

from django.urls import path

from apps.callbacks.event_types import schemas
from apps.callbacks.views.events import EventsView
from apps.callbacks.views.secrets import WebhookSecretViewSet
from apps.callbacks.views.sinks import SinkViewSet, take
from apps.callbacks.views.subscriptions import SubscriptionViewSet
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

urlpatterns = [
    path("events/", EventsView.as_view(), name="events"),
    path("callback-sink/", SinkViewSet.as_view(COLLECTION), name="callback-sink-list"),
    path(
        "callback-sink/<uuid:uuid>/",
        SinkViewSet.as_view({"get": "retrieve", "delete": "destroy"}),
        name="callback-sink-detail",
    ),
    path("sink/<str:token>/", take, name="sink"),
    path("subscription/", SubscriptionViewSet.as_view(COLLECTION), name="subscription-list"),
    path(
        "subscription/<uuid:uuid>/",
        SubscriptionViewSet.as_view(RESOURCE),
        name="subscription-detail",
    ),
    path("webhook-secret/", WebhookSecretViewSet.as_view(COLLECTION), name="webhook-secret-list"),
    path(
        "webhook-secret/<uuid:uuid>/",
        WebhookSecretViewSet.as_view({"get": "retrieve", "delete": "destroy"}),
        name="webhook-secret-detail",
    ),
    path(
        "openapi.json",
        openapi("apps.callbacks.urls", "callbacks", told=schemas),
        name="openapi-callbacks",
    ),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
