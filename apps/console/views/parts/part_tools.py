"""Repair of a part by the built-in service, and its similar parts."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.http import HttpResponse
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.console.domain.messages import Row, Shown
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.integrations import Operation
    from manufacturing.generated.search import Result

MAX_REPAIRS = 5  # that a page shows
MAX_SIMILAR = 24
MAX_TWINS = 3  # of a part
STATES: dict[str, Promise] = {
    "processing": gettext_lazy("Repairing"),
    "complete": gettext_lazy("Repaired"),
    "error": gettext_lazy("Failed"),
}
TONES = {"processing": "run", "complete": "ok", "error": "bad"}
VERDICTS: dict[str, tuple[Promise, str]] = {
    "identical": (gettext_lazy("Same shape"), "ok"),
    "very_similar": (gettext_lazy("Very similar"), "info"),
    "similar": (gettext_lazy("Similar"), ""),
}


class Twin(TypedDict):
    """A part that has exactly the shape of another."""

    name: str
    path: str
    created: datetime


@page("POST")
def repair(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Have the mesh repaired: the result is another part, which the page of this one links."""
    uri = api_uri("model", uuid)
    query = {"filter[type]": "model-healing", "page[limit]": 1}
    services = visit.api.list("integrations", "/service/", **query)["resources"]
    if not services:
        return visit.go(uri, done="no-repair")
    body = {"service": services[0]["uri"], "inputs": {"model": uri}, "parameters": {}}
    visit.make("integrations", "operation", body, key=visit.request.POST.get("key", ""))
    return visit.go(uri, done="repairing")


def repairs_of(visit: PageContext, model: str) -> list[Shown]:
    """The latest repairs of a part, each with what it changed."""
    query = {
        "filter[model]": model,
        "filter[type]": "model-healing",
        "page[limit]": MAX_REPAIRS,
    }
    matches = visit.api.list("integrations", "/operation/", **query)["resources"]
    return [_shown(operation) for operation in matches]


def _shown(operation: Operation) -> Shown:
    report = operation["outputs"] or {}
    result = operation["result"]
    return {
        "label": STATES[operation["status"]],
        "tone": TONES[operation["status"]],
        "busy": operation["status"] == "processing",
        "fault": report.get("title") if operation["status"] == "error" else "",
        "path": page_path(result) if result and operation["status"] == "complete" else "",
        "lines": _changes(report.get("receipt") or {}),
    }


def _changes(receipt: dict[str, object]) -> list[str]:
    """What a repair changed, by its receipt."""
    if receipt.get("nothing_to_do"):
        return [_("The mesh was sound: the result is the same file.")]
    before, after = receipt.get("before"), receipt.get("after")
    if not isinstance(before, dict) or not isinstance(after, dict):
        return []
    lines = []
    if closed := (before.get("holes") or 0) - (after.get("holes") or 0):
        label = ngettext("%(n)s hole closed", "%(n)s holes closed", closed)
        lines.append(label % {"n": number_format(closed)})
    if turned := (before.get("misoriented_edges") or 0) - (after.get("misoriented_edges") or 0):
        label = ngettext(
            "%(n)s edge with inconsistent face orientation corrected",
            "%(n)s edges with inconsistent face orientation corrected",
            turned,
        )
        lines.append(label % {"n": number_format(turned)})
    triangles = {"before": before.get("triangles"), "after": after.get("triangles")}
    lines.append(_("%(before)s triangles before, %(after)s after") % triangles)
    return lines


@page("GET")
def similar(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Parts that have the shape of this one, turned, moved or scaled."""
    model = visit.api.get(api_uri("model", uuid))
    query = {
        "filter[model]": model["uri"],
        "filter[scope]": "readable",
        "filter[number_of_results]": MAX_SIMILAR,
    }
    answer = visit.api.list("search", "/similar-models/", **query)["resources"][0]
    results = answer["results"]
    rows = _models(visit, [result["model"] for result in results])
    return visit.show(
        "similar",
        model={**model, "path": page_path(model["uri"])},
        parts=[_match(rows[row["model"]], row) for row in results if row["model"] in rows],
        busy=bool(answer["pending"]),
    )


def _models(visit: PageContext, uris: list[str]) -> dict[str, Row]:
    if not uris:
        return {}
    query = {"filter[uri]": ",".join(uris), "page[limit]": MAX_SIMILAR}
    matches = visit.api.list("models", "/model/", **query)["resources"]
    return {row["uri"]: row for row in matches}


def twins_of(visit: PageContext, models: list[str]) -> dict[str, list[Twin]]:
    """Name, page and age of other parts with exactly the shape of these, by the URI of each.

    Nothing of a part that the search cannot answer for now: the pages work without it.
    """
    uris: dict[str, list[str]] = {}
    for model in models:
        query = {
            "filter[model]": model,
            "filter[scope]": "readable",
            "filter[tolerance]": "identical",
            "filter[number_of_results]": MAX_TWINS,
        }
        try:
            answer = visit.api.list("search", "/similar-models/", **query)["resources"][0]
        except ApiError:
            continue
        uris[model] = [result["model"] for result in answer["results"]]
    rows = _models(visit, sorted({uri for twins in uris.values() for uri in twins}))
    return {
        model: [
            {
                "name": rows[uri]["name"],
                "path": page_path(uri),
                "created": datetime.fromisoformat(rows[uri]["created"]),
            }
            for uri in twins
            if uri in rows
        ]
        for model, twins in uris.items()
    }


def _match(model: Row, result: Result) -> Shown:
    label, tone = VERDICTS[result["verdict"]]
    return {
        **model,
        "path": page_path(result["model"]),
        "label": label,
        "tone": tone,
        "percentage": number_format(result["percentage"], 1),
        "scale": number_format(result["scale_factor"], 3)
        if abs((result["scale_factor"] or 1) - 1) > 0.001
        else "",
        "mirrored": result["mirrored"],
    }
