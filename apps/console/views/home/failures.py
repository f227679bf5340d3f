"""Failed jobs, with retry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict
from uuid import UUID

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Coded, LocalizedText, error_message
from apps.console.domain.production_status import part_name
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import page_path
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import LineItem, Run
    from manufacturing.generated.integrations import Operation
    from manufacturing.generated.models import Model
    from manufacturing.generated.slicing import Slice

MAX_FAILURES = 20  # of each kind, the latest


class Failure(NamedTuple):
    """A work that failed.

    path  : of the page that shows it
    name  : its own; None where it is called as the model with the URI `model` is
    """

    path: str
    errors: Sequence[Coded]
    name: str | None = None
    model: str = ""


class Kind(NamedTuple):
    """A kind of work: where it is listed, and how one that failed is shown and tried again.

    failed : the filter that finds those that did
    again  : asks for it once more, and gives the URI or path of what to look at
    """

    service: str
    name: str
    label: Promise
    tell: Callable[[Any], Failure]
    again: Callable[[PageContext, Any], str] | None = None
    failed: dict[str, str] = {"filter[status]": "error"}  # noqa: RUF012


def _of_model(model: Model) -> Failure:
    return Failure(page_path(model["uri"]), model["errors"] or [], model["name"])


def _of_slice(made: Slice) -> Failure:
    return Failure(page_path(made["uri"]), made["errors"] or [], model=made["model"])


def _of_operation(operation: Operation) -> Failure:
    model, outputs = operation["inputs"]["model"], operation["outputs"] or {}
    errors: list[Coded] = [
        {"code": outputs.get("code") or "", "title": outputs.get("title") or "–"}
    ]
    return Failure(page_path(model), errors, model=model)


def _of_item(item: LineItem) -> Failure:
    return Failure(
        page_path(item["order"] or item["uri"]), item["errors"] or [], part_name(item["name"])
    )


def _of_run(run: Run) -> Failure:
    errors = (run["errors"] or []) + (run["slicing_errors"] or [])
    return Failure(page_path(run["uri"]), errors, run["name"])


def _slice(visit: PageContext, made: Slice) -> str:
    body = {"model": made["model"], "config": made["config"]}
    return visit.make("slicing", "slice", body, key=made["uri"])


def _operate(visit: PageContext, operation: Operation) -> str:
    body = {name: operation[name] for name in ("service", "inputs", "parameters")}
    visit.make("integrations", "operation", body, key=operation["uri"])
    return operation["inputs"]["model"]


def _estimate(visit: PageContext, item: LineItem) -> str:
    visit.api.ask("PUT", item["uri"], {"status": "calculating_estimates"})
    return item["order"] or "/order/"


def _slice_run(visit: PageContext, run: Run) -> str:
    visit.api.ask("PUT", run["uri"], {"slicing": "queued"})
    return run["uri"]


UNSLICED = {"filter[status]": "calculated,queued", "filter[slicing]": "error"}
KINDS = [
    # Its file is what was wrong: another one is to be sent.
    Kind("models", "model", _("Part"), _of_model),
    Kind("slicing", "slice", _("Slice"), _of_slice, _slice),
    Kind("integrations", "operation", _("Operation"), _of_operation, _operate),
    Kind("erp", "line-item", _("Order line"), _of_item, _estimate),
    Kind("erp", "run", _("Slice of a build"), _of_run, _slice_run, UNSLICED),
    # Its pieces wait again, and are packed on the shop's board.
    Kind("erp", "run", _("Build"), _of_run),
]
REPEATED = {kind.name: kind for kind in KINDS if kind.again}


class FailedJob(TypedDict):
    """A row of the page."""

    path: str
    name: str | None
    model: str
    label: Promise
    at: datetime
    errors: list[LocalizedText]
    again: str


@page("GET", "POST")
def failures(visit: PageContext) -> HttpResponse:
    """One list, the latest first; its buttons try again."""
    if not visit.posted:
        return _shown(visit)
    try:
        return visit.go(_again(visit, visit.request.POST.get("work", "")), done="tried")
    except ApiError as declined:
        return _shown(visit, declined)


def _again(visit: PageContext, work: str) -> str:
    """Try a work once more, which the form names as kind/key; the page to go to."""
    name, _, key = work.partition("/")
    try:
        kind, uuid = REPEATED[name], UUID(key)
    except (KeyError, ValueError):
        return "/failed/"
    row = visit.api.get(f"{base_url(kind.service)}/{name}/{uuid}/")
    return kind.again(visit, row) if kind.again else "/failed/"


def _shown(visit: PageContext, declined: ApiError | None = None) -> HttpResponse:
    works = sorted(_failed(visit), key=lambda work: work["at"], reverse=True)
    names = _names(visit, {work["model"] for work in works if work["name"] is None})
    for work in works:
        if work["name"] is None:
            work["name"] = names.get(work["model"], "")
    return visit.show(
        "failures",
        declined.http_status if declined else 200,
        refused=[error_message(error) for error in declined.errors] if declined else [],
        works=works,
    )


def count_failed(visit: PageContext) -> int:
    """How many jobs have failed, of all kinds."""
    return sum(
        visit.api.list(kind.service, f"/{kind.name}/", **kind.failed, **{"page[limit]": 1})["meta"][
            "count"
        ]
        for kind in KINDS
    )


def _failed(visit: PageContext) -> Iterator[FailedJob]:
    for kind in KINDS:
        asked = {**kind.failed, "page[limit]": MAX_FAILURES}
        for row in visit.api.list(kind.service, f"/{kind.name}/", **asked)["resources"]:
            failure = kind.tell(row)
            yield {
                "path": failure.path,
                "name": failure.name,
                "model": failure.model,
                "label": kind.label,
                "at": datetime.fromisoformat(row["updated"]),
                "errors": [error_message(error) for error in failure.errors],
                "again": page_path(row["uri"]).strip("/") if kind.again else "",
            }


def _names(visit: PageContext, models: set[str]) -> dict[str, str]:
    """What models are called, by their URIs."""
    if not models:
        return {}
    asked = {"filter[uri]": ",".join(sorted(models)), "page[limit]": 1000}
    found = visit.api.list("models", "/model/", **asked)["resources"]
    return {model["uri"]: model["name"] for model in found}
