"""URLs of the sales host."""

from apps.sales.views import VisitViewSet
from core.api.urls import READ, document, resources

urlpatterns = [
    *resources(VisitViewSet, one=READ),
    *document("apps.sales.urls", "sales", about="Sales to visitors of storefronts."),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
