"""URLs of the search host."""

from django.urls import path

from apps.search.views import AboutView, IndexedModelViewSet, SimilarModelsViewSet
from core.api.urls import READ_LIST, document, resources

urlpatterns = [
    path("about/", AboutView.as_view(), name="search-about"),
    *resources(IndexedModelViewSet),
    path("similar-models/", SimilarModelsViewSet.as_view(READ_LIST), name="similar-models"),
    *document(
        "apps.search.urls",
        "search",
        about="Search for models of similar shape.",
    ),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
