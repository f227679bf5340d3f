"""Views: sinks (request bins), and where they receive requests."""

from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse

from apps.callbacks.models import Sink, SunkRequest
from apps.callbacks.serializers.sink import sink_resource
from apps.callbacks.services import sinks
from core.api.exception_handler import not_found
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class SinkViewSet(ResourceViewSet):
    kind = Sink
    represent = staticmethod(sink_resource)
    listing = ListOptions(
        filters={
            "created": Column("created", list_queries.time, ordered=True),
            "expires": Column("expires", list_queries.time, ordered=True),
        },
        sort={"created": "uuid"},
    )

    def rows(self) -> QuerySet[Sink]:
        requests = Prefetch("requests", SunkRequest.objects.order_by("pk"))
        return Sink.objects.current().filter(owner=self.caller).prefetch_related(requests)

    def perform_create(self, values: ValidatedData) -> Sink:
        return sinks.create_sink(owner=self.caller)

    def perform_destroy(self, row: Sink) -> None:
        row.delete()


def take(request: HttpRequest, token: str) -> HttpResponse:
    """Record any request, without authentication: the URL is the secret."""
    known = sinks.keep_request(
        token=token,
        method=request.method or "",
        query=request.META.get("QUERY_STRING", ""),
        headers=request.headers.items(),
        body=request.body,
    )
    return HttpResponse(status=200) if known else not_found(request)
