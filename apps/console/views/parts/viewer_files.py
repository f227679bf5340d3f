"""Files of the 3D viewers: preview mesh, turntable pictures, toolpaths, plate."""

from __future__ import annotations

from math import atan2, cos, pi, sin
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import UUID

import orjson
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.translation import gettext as _

from apps.console.domain.messages import Shown, error_message
from apps.console.domain.plate import on_bed
from apps.console.domain.production_status import part_name
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path

if TYPE_CHECKING:
    from manufacturing.generated.erp import Run, Unpacking

MAX_PIECES = 1000  # pieces that are shown
# Pictures round a part: how many, from where as the first picture is, and how far above it.
SIDES, BEGIN, HEIGHT = 8, atan2(-0.75, -0.55), 0.56
PICTURE = {"width": 400, "samples": 16, "transparent": True}


@page("GET")
def preview(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The light mesh of a model, of as many triangles as the address says."""
    return _bring(visit, f"{api_uri('model', uuid)}preview/")


@page("POST")
def around(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Pictures round a model, for browsers without three dimensions: 202 until all are drawn.

    Asked for again they are the same.
    """
    made = [
        visit.make("models", f"model/{uuid}/snapshot", {**PICTURE, **side}, key="around")
        for side in _sides()
    ]
    drawn = [visit.api.get(uri) for uri in made]
    if any(row["status"] == "processing" for row in drawn):
        return HttpResponse(status=202, headers={"Retry-After": "2"})
    found = [row["content"] for row in drawn if row["content"]]
    return JsonResponse({"pictures": found}, status=200 if found else 409)


def _sides() -> list[dict[str, float]]:
    """In which directions the camera looks: from above, a step to the right each time."""
    eyes = [BEGIN + 2 * pi * number / SIDES for number in range(SIDES)]
    return [{"u": -cos(at), "v": -sin(at), "w": -HEIGHT} for at in eyes]


@page("GET")
def paths(visit: PageContext, kind: str, uuid: UUID) -> HttpResponse:
    """What all layers of a slice or of uploaded G-code lay down."""
    return _bring(visit, f"{api_uri(kind, uuid)}paths/")


@page("GET")
def plate(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Where the pieces of a packed run stand, in the order in which they come out.

    Lengths are mm; `reach` is how far a piece is drawn out to be seen out.
    """
    run = visit.api.get(api_uri("run", uuid))
    found = visit.api.list(
        "erp", f"{page_path(run['uri'])}unpacking/", **{"page[limit]": MAX_PIECES}
    )
    pieces = {row["uri"]: row for row in visit.all_of("piece", limit=MAX_PIECES, run=run["uri"])}
    items = sorted({row["line_item"] for row in pieces.values()})
    models = {
        row["uri"]: page_path(row["model"])
        for row in visit.all_of("line-item", limit=MAX_PIECES, uri=",".join(items))
        if row["model"]
    }
    paths = sorted(set(models.values()))
    standing = [
        {**_piece(row), "line": items.index(item), "model": paths.index(models[item])}
        for row in found["resources"]
        if row["transform"]
        and row["piece"] in pieces
        and (item := pieces[row["piece"]]["line_item"]) in models
    ]
    bed = _bed(visit, run)
    return JsonResponse(
        {
            "bed": bed,
            "reach": 1.2 * max(bed.values()),
            "models": [f"{path}preview/" for path in paths],
            "pieces": standing,
        }
    )


def _piece(place: Unpacking) -> Shown:
    """A piece of a plate: what it is called, where it stands, and where to it is drawn out."""
    sign, axis = tuple(place["direction"] or ("", ""))
    offset = place["bed_offset"] or {"x": 0.0, "y": 0.0}
    shift = [offset["x"], offset["y"], 0.0, 0.0]
    rows = zip(place["transform"] or (), shift, strict=False)
    return {
        "name": _("%(name)s No. %(number)s")
        % {"name": part_name(place["name"]), "number": place["number"]},
        "transform": [[*row[:3], row[3] + by] for row, by in rows],
        "box": on_bed(place),
        "direction": [int(f"{sign}1") if axis == one else 0 for one in "xyz"] if axis else None,
    }


def _bed(visit: PageContext, run: Run) -> dict[str, float]:
    """The build volume of the printer that a run is packed for."""
    printer = visit.api.get(run["printer"] or "")
    return visit.api.get(printer["printer_type"])["build_volume"]


def _bring(visit: PageContext, uri: str) -> HttpResponse:
    """Off to the file that the API makes when it is first asked: 202 until it is there."""
    asked = urlencode(visit.request.GET)
    answer = visit.api.ask("GET", f"{uri}?{asked}" if asked else uri)
    converted = orjson.loads(answer.content)
    if answer.status_code == 202:
        return HttpResponse(status=202, headers={"Retry-After": answer["Retry-After"]})
    if converted["content"] is None:
        sentences = [error_message(error) for error in converted["errors"]]
        return visit.show("refused", 409, sentences=sentences)
    return HttpResponseRedirect(converted["content"], headers={"Cache-Control": "no-store"})
