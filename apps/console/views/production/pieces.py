"""Page of a piece, to which the QR code of its label leads."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse

from apps.console.domain.production_status import PIECES
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path


@page("GET")
def piece(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Show what a piece is, whose it is, and where it is in production."""
    row = visit.api.get(api_uri("piece", uuid))
    item = visit.api.get(row["line_item"])
    order = visit.api.find(item["order"]) if item["order"] else None
    run = visit.api.find(row["run"]) if row["run"] else None
    base = item["materials"]["base"]
    return visit.show(
        "piece",
        piece=row,
        item=item,
        state=PIECES[row["status"]],
        order={**order, "path": page_path(order["uri"])} if order else None,
        run={**run, "path": page_path(run["uri"])} if run else None,
        material=visit.api.find(base) if base else None,
    )
