"""Views: labels of pieces and runs."""

import secrets
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.template.loader import render_to_string
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from apps.erp.base.views.resources import Below
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.pieces import Piece
from apps.erp.production.models.runs import Run
from apps.erp.production.services import labels
from core.api.lists.list_queries import ListOptions
from core.api.lists.pagination import asked_url, page_of
from core.uris import base_url

_PAGES = [
    OpenApiParameter("page[offset]", int, description="Number of labels to skip."),
    OpenApiParameter("page[limit]", int, description="Maximum number of labels."),
]
_FORMAT = OpenApiParameter(
    "format",
    str,
    enum=["html", "svg"],
    description="Format of the label: an HTML page or an SVG image.",
)


class LabelsView(Below):
    """A page of labels, one a sheet, for whoever reads what they are of."""

    listing = ListOptions(sort={})

    def pieces(self, row: Any) -> QuerySet[Piece]:
        """The pieces whose labels are asked for, in the order in which they are printed."""
        raise NotImplementedError

    @extend_schema(parameters=_PAGES, responses={(200, "text/html"): OpenApiTypes.STR})
    def get(self, request: Request, uuid: UUID) -> HttpResponse:
        asked = self.listing.read(request.query_params)
        row = self.row(uuid)
        keys = list(self.pieces(row).values_list("pk", flat=True))
        shown, links, _ = page_of(keys, asked, url=asked_url(request._request))
        found = self.pieces(row).filter(pk__in=shown)
        made = labels.labels_of(found, run=row if isinstance(row, Run) else None)
        words = f"{asked.offset + 1} to {asked.offset + len(made)} of {len(keys)} labels"
        return page(str(row), words if made else "no labels", made, links)


class OrderTravellerView(LabelsView):
    says = {"get": "Get the labels of an order's pieces"}
    kind = Order

    def pieces(self, row: Order) -> QuerySet[Piece]:
        return labels.of_order(row)


class RunLabelsView(LabelsView):
    says = {"get": "Get the labels of a run's pieces"}
    kind = Run

    def pieces(self, row: Run) -> QuerySet[Piece]:
        return labels.of_run(row)


class PieceLabelView(LabelsView):
    """The label of one piece."""

    says = {"get": "Get the label of a piece"}
    kind = Piece
    listing = ListOptions(sort={}, plain={"format": {"html": Q(), "svg": Q()}.__getitem__})

    def pieces(self, row: Piece) -> QuerySet[Piece]:
        return Piece.objects.filter(pk=row.pk)

    @extend_schema(
        parameters=[_FORMAT],
        responses={
            (200, "text/html"): OpenApiTypes.STR,
            (200, "image/svg+xml"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, uuid: UUID) -> HttpResponse:
        self.listing.read(request.query_params)
        (label,) = labels.labels_of(self.pieces(self.row(uuid)))
        if request.query_params.get("format") == "svg":
            drawing = render_to_string("labels/label.svg", {"label": label})
            return _locked_down(HttpResponse(drawing, content_type="image/svg+xml; charset=utf-8"))
        return page(f"Piece {label.number} of {label.quantity}", "1 label", [label], {})


def page(
    title: str, words: str, shown: list[labels.Label], links: dict[str, str | None]
) -> HttpResponse:
    """The labels as a page to be printed."""
    nonce = secrets.token_urlsafe(16)
    context = {"title": title, "words": words, "labels": shown, "nonce": nonce, **links}
    return _locked_down(HttpResponse(render_to_string("labels/page.html", context)), nonce)


def _locked_down(response: HttpResponse, nonce: str = "") -> HttpResponse:
    """Pictures of ours and the page's own style; no scripts, nothing else, and in no frame."""
    style = f" style-src 'nonce-{nonce}';" if nonce else ""
    response["Content-Security-Policy"] = (
        f"default-src 'none'; img-src {base_url('files')};{style}"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return response
