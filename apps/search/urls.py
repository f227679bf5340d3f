"""{search_url}"""

from django.urls import path

from apps.search.views import AboutView, IndexedModelViewSet, SimilarModelsViewSet
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

urlpatterns = [
    path("about/", AboutView.as_view(), name="search-about"),
    path("indexed-model/", IndexedModelViewSet.as_view(COLLECTION), name="indexed-model-list"),
    path(
        "indexed-model/<uuid:uuid>/",
        IndexedModelViewSet.as_view(RESOURCE),
        name="indexed-model-detail",
    ),
    path("similar-models/", SimilarModelsViewSet.as_view({"get": "list"}), name="similar-models"),
    path("openapi.json", openapi("apps.search.urls", "search"), name="openapi-search"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
