"""{slicing_url}: slices."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.slicing.models import Slice
from apps.slicing.serializers.slice import (
    PreviewAnswer,
    SliceAnswer,
    SliceSerializer,
    preview_resource,
    slice_resource,
)
from apps.slicing.services import slices
from core.api import lists
from core.api.callbacks import CallbackTellers
from core.api.lists import Column, Listing
from core.api.schema import IDEMPOTENCY
from core.api.waiting import WaitingTellers

CREATED = Column("created", lists.time, ordered=True)
DRY_RUN = OpenApiParameter(
    "dry_run",
    bool,
    description="Says what would come of the slice, with 200, and makes nothing.",
)


class SliceViewSet(WaitingTellers, CallbackTellers):
    kind = Slice
    related = ("config", "owner")
    serializer_class = SliceSerializer
    writes = slices
    represent = staticmethod(slice_resource)
    listing = Listing(
        filters={
            "status": Column("status"),
            "model": Column("model_uri", lists.uri),
            "config": Column("config_id", lists.key_in_uri),
            "engine": Column("config__engine"),
            "slice_time": Column("slice_time", lists.number, ordered=True),
            "created": CREATED,
            "updated": Column("updated", lists.time, ordered=True),
        },
        search={"model": "model_uri", "config": "config__description"},
        sort={"created": "uuid", "status": "status", "updated": "updated"},
    )

    @extend_schema(
        parameters=[DRY_RUN, IDEMPOTENCY],
        responses={200: PreviewAnswer, 201: SliceAnswer},
    )
    def create(self, request: Request, **keys: Any) -> HttpResponse:
        if not _is_dry_run(request):
            return super().create(request, **keys)
        values = self.read(request)
        preview = slices.preview_slice(
            actor=self.caller, model=values["model"], config=values["config"]
        )
        return Response(preview_resource(preview))


def _is_dry_run(request: Request) -> bool:
    given = request.query_params.get("dry_run", "false")
    try:
        return lists.boolean(given)
    except KeyError:
        raise lists.BadQuery(
            "dry_run is true or false.", code="type-validation-error", field="dry_run"
        ) from None
