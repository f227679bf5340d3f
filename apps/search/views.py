"""Views: indexed models, and models similar to one."""

from http import HTTPStatus

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.viewsets import ViewSetMixin

from apps.search.models import IndexedModel
from apps.search.serializers import (
    DEFAULTS,
    AboutAnswer,
    IndexedModelSerializer,
    SimilarModelsAnswer,
    indexed_model_resource,
    read_search,
    result_resource,
)
from apps.search.services import indexed_models as services
from apps.search.services.similar import find_similar
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.queue_position import QueuePositionMixin
from core.api.renderers import Response
from core.api.views import ApiView
from core.errors import ServiceError
from core.uris import base_url
from geometry.similarity import DESCRIPTOR_VERSION

ARGUMENTS = [
    OpenApiParameter("filter[model]", str, required=True, description="URI of a model."),
    *(OpenApiParameter(f"filter[{name}]", str, default=value) for name, value in DEFAULTS.items()),
]


class IndexUnavailable(ServiceError):
    """The database that holds the index does not answer."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "index-unavailable"

    def __init__(self) -> None:
        super().__init__(
            "The index cannot be reached at the moment: try again in a few seconds.",
            headers={"Retry-After": "5"},
        )


class AboutView(ApiView):
    """Version of the API and of the descriptors; public."""

    says = {"get": "Get the API version"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(responses={200: AboutAnswer})
    def get(self, request: Request) -> Response:
        api = settings.SPECTACULAR_SETTINGS["VERSION"]
        return Response({"version": f"{api}.{DESCRIPTOR_VERSION}"})


class IndexedModelViewSet(QueuePositionMixin):
    kind = IndexedModel
    related = ("owner",)
    serializer_class = IndexedModelSerializer
    writes = services
    represent = staticmethod(indexed_model_resource)
    created_status = HTTPStatus.NO_CONTENT
    # It is idempotent by itself, and a stored answer would hold a transaction while it waits.
    repeatable = False
    unreachable = IndexUnavailable
    listing = ListOptions(
        filters={
            "name": Column("name"),
            "status": Column("status"),
            "model_uri": Column("model_uri", list_queries.uri),
            "created": Column("created", list_queries.time, ordered=True),
        },
        search={"name": "name", "description": "description"},
        sort={"created": "uuid", "name": "name", "status": "status", "updated": "updated"},
    )

    def perform_update(self, row: IndexedModel, values: ValidatedData) -> None:
        services.update_indexed_model(row=row, **values)

    def perform_destroy(self, row: IndexedModel) -> None:
        services.delete_indexed_model(row=row)


class SimilarModelsViewSet(ViewSetMixin, ApiView):
    """The models that are similar to one, the most similar first: a list of this one answer."""

    says = {"list": "List models similar to a model"}
    unreachable = IndexUnavailable

    @extend_schema(parameters=ARGUMENTS, responses={200: SimilarModelsAnswer})
    def list(self, request: Request) -> Response:
        question, repeated = read_search(request.query_params)
        model, results, pending = find_similar(user=self.caller, question=question)
        answer = {
            "model": model,
            **repeated,
            "pending": pending,
            "results": [result_resource(match) for match in results],
        }
        url = f"{base_url('search')}{request._request.path}?{request.query_params.urlencode()}"
        return Response(
            {
                "links": {"self": url, "next": None, "prev": None},
                "meta": {"count": 1},
                "resources": [answer],
            }
        )
