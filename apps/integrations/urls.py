"""URLs of the integrations host."""

from django.urls import path

from apps.callbacks import interface as callbacks
from apps.integrations.views.operations import OperationViewSet
from apps.integrations.views.reports import ReportView
from apps.integrations.views.services import ServiceViewSet
from core.api.urls import document, resources

urlpatterns = [
    *resources(ServiceViewSet),
    *resources(OperationViewSet),
    *callbacks.event_urls(OperationViewSet),
    path("operation/<uuid:uuid>/report/", ReportView.as_view(), name="operation-report"),
    *document(
        "apps.integrations.urls",
        "integrations",
        about="Operations on models by built-in services and external providers.",
    ),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
