"""URLs of the sales host."""

from django.urls import path

from apps.sales.views.shared_orders import AcceptQuoteView, SharedOrderView
from apps.sales.views.visits import VisitViewSet
from core.api.urls import READ, document, resources

urlpatterns = [
    *resources(VisitViewSet, one=READ),
    path("o/<str:token>/", SharedOrderView.as_view(), name="shared-order"),
    path("o/<str:token>/accept/", AcceptQuoteView.as_view(), name="accept-quote"),
    *document("apps.sales.urls", "sales", about="Sales to visitors of storefronts."),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
