"""{integrations_url}"""

from django.urls import path

from apps.callbacks import interface as callbacks
from apps.integrations.views.operations import OperationViewSet
from apps.integrations.views.reports import ReportView
from apps.integrations.views.services import ServiceViewSet
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

urlpatterns = [
    path("service/", ServiceViewSet.as_view(COLLECTION), name="service-list"),
    path("service/<uuid:uuid>/", ServiceViewSet.as_view(RESOURCE), name="service-detail"),
    path("operation/", OperationViewSet.as_view(COLLECTION), name="operation-list"),
    path("operation/<uuid:uuid>/", OperationViewSet.as_view(RESOURCE), name="operation-detail"),
    *callbacks.event_urls("operation/<uuid:uuid>/", OperationViewSet, name="operation-detail"),
    path("operation/<uuid:uuid>/report/", ReportView.as_view(), name="operation-report"),
    path(
        "openapi.json",
        openapi("apps.integrations.urls", "integrations"),
        name="openapi-integrations",
    ),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
