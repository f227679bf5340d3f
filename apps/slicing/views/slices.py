"""Views: slices."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.viewsets import ViewSetMixin

from apps.slicing.models import Slice
from apps.slicing.serializers.slice import (
    PlateObjectAnswer,
    PreviewAnswer,
    SliceAnswer,
    SliceSerializer,
    SliceSettingsAnswer,
    plate_object,
    preview_resource,
    settings_resource,
    slice_resource,
)
from apps.slicing.services import slices
from core.api.callbacks import CallbackOutputMixin
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.lists.pagination import asked_url, page_of
from core.api.openapi.schema import IDEMPOTENCY
from core.api.queue_position import QueuePositionMixin
from core.api.renderers import Response
from core.api.views import ApiView
from core.errors import NotFound

CREATED = Column("created", list_queries.time, ordered=True)
DRY_RUN = OpenApiParameter(
    "dry_run",
    bool,
    description="Dry run: returns a preview with status 200 and creates nothing.",
)


class SliceViewSet(QueuePositionMixin, CallbackOutputMixin):
    kind = Slice
    related = ("config", "owner")
    serializer_class = SliceSerializer
    writes = slices
    represent = staticmethod(slice_resource)
    listing = ListOptions(
        filters={
            "status": Column("status"),
            "model": Column("model_uri", list_queries.uri),
            "config": Column("config_id", list_queries.key_in_uri),
            "engine": Column("config__engine"),
            "slice_time": Column("slice_time", list_queries.number, ordered=True),
            "created": CREATED,
            "updated": Column("updated", list_queries.time, ordered=True),
        },
        search={"model": "model_uri", "config": "config__description"},
        sort={"created": "uuid", "status": "status", "updated": "updated"},
    )

    @extend_schema(
        parameters=[DRY_RUN, IDEMPOTENCY],
        responses={200: PreviewAnswer, 201: SliceAnswer},
    )
    def create(self, request: Request, **keys: Any) -> HttpResponse:
        if not list_queries.flag(request.query_params, "dry_run"):
            return super().create(request, **keys)
        values = self.read(request)
        preview = slices.preview_slice(
            actor=self.caller, model=values["model"], config=values["config"]
        )
        return Response(preview_resource(preview))


class PlateObjectViewSet(ViewSetMixin, ApiView):
    """What each piece of a sliced run takes."""

    says = {"list": "List time and material of each object of a plate"}
    listing = ListOptions(sort={})

    @extend_schema(responses={200: PlateObjectAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        asked = self.listing.read(request.query_params)
        row = Slice.objects.visible_to(self.caller).filter(pk=uuid).first()
        if row is None or row.objects_on_plate is None:
            raise NotFound("There is no such slice of a run, not for you, or it is not processed.")
        pieces = {piece["name"]: piece for piece in row.build["pieces"]}
        found, links, meta = page_of(row.objects_on_plate, asked, url=asked_url(request._request))
        resources = [plate_object(one, pieces) for one in found]
        return Response({"links": links, "meta": meta, "resources": resources})


class SliceSettingsViewSet(ViewSetMixin, ApiView):
    """What a slice is made with."""

    says = {"retrieve": "Get the effective settings of a slice"}

    @extend_schema(responses={200: SliceSettingsAnswer})
    def retrieve(self, request: Request, uuid: UUID) -> Response:
        rows = Slice.objects.visible_to(self.caller).select_related("config")
        row = rows.filter(pk=uuid).first()
        if row is None:
            raise NotFound("There is no such slice, or not for you.")
        return Response(settings_resource(slices.used_settings(row)))
