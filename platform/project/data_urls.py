"""URLconf of the `data.` host: all services under one origin."""

from django.urls import include, path

from core.api.urls import document
from project.event_catalogue import SCHEMAS

urlpatterns = [
    # Before those of the services.
    *document(
        "project.data_urls",
        "data",
        about="The resources of all services, from one origin.",
        webhooks=lambda: SCHEMAS,
    ),
    path("", include("apps.users.urls")),
    path("", include("apps.warehouse.urls")),
    path("", include("apps.slicing.urls")),
    path("", include("apps.integrations.urls")),
    path("", include("apps.payment.urls")),
    path("", include("apps.erp.urls")),
    path("", include("apps.sales.urls")),
    path("", include("apps.callbacks.urls")),
    path("", include("apps.search.urls")),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
