"""Folders and tags of parts: the lists beside the parts, and assigning to several parts."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import orjson
from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _

from apps.console.domain.messages import Context, LocalizedText, Shown, error_message
from apps.console.views.base.page import PageContext
from core.uris import base_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from manufacturing.generated.models import Model

PATH = "/model/labels/"
FOLDER, TAG = "filter[folder]", "filter[tag]"


def labels_of_page(visit: PageContext, models: Sequence[Model]) -> Context:
    """The folders and tags of the person, with counts, and those of the parts of a page."""
    folders, tags = _counts(visit, "folder"), _counts(visit, "tag")
    uris = ",".join(model["uri"] for model in models)
    arguments = {"filter[model]": uris, "page[limit]": max(1, len(models))}
    rows = visit.api.list("models", PATH, **arguments)["resources"] if uris else []
    chosen_folder, chosen_tag = (visit.request.GET.get(name, "") for name in (FOLDER, TAG))
    return {
        "folders": _tree(folders, chosen_folder, visit.request.GET),
        "tags": [_tag(name, count, chosen_tag, visit.request.GET) for name, count in tags.items()],
        "folder": chosen_folder,
        "all_path": _address(visit.request.GET, {FOLDER: "", TAG: ""}),
        "of": {row["model"]: row for row in rows},
    }


def assign(visit: PageContext) -> tuple[HttpResponse | None, list[LocalizedText | str]]:
    """Move the selected parts to a folder, or add or remove a tag; or why that failed."""
    form = visit.request.POST
    parts, action = form.getlist("part"), form.get("do", "")
    folder, tag = form.get("folder", "").strip(), form.get("tag", "").strip()
    changes: dict[str, Shown] = {
        "move": {"folder": folder},
        "tag": {"add_tags": [tag]},
        "untag": {"remove_tags": [tag]},
    }
    if not parts:
        return None, [_("Select parts.")]
    if action not in changes or (action != "move" and not tag):
        return None, [_("Enter a tag.")]
    rows = [{"model": part, **changes[action]} for part in parts]
    answer = visit.api.ask("PUT", f"{base_url('models')}{PATH}", {"labels": rows})
    results = orjson.loads(answer.content)["results"]
    refused = [error_message(error) for result in results for error in result["errors"] or ()]
    if refused:
        return None, list(dict.fromkeys(refused))
    return visit.go(_address(visit.request.GET, {"done": "labelled"})), []


def _counts(visit: PageContext, field: str) -> dict[str, int]:
    arguments = {"count_by": field, "page[limit]": 1}
    return visit.api.list("models", PATH, **arguments)["meta"].get("counts", {})


def _tree(counts: dict[str, int], chosen: str, query: QueryDict) -> list[Shown]:
    """The folders in the order of their paths, each with all parts in it and below."""
    paths = {
        "/".join(names[:depth])
        for names in (path.split("/") for path in counts)
        for depth in range(1, len(names) + 1)
    }
    return [
        {
            "name": path.rpartition("/")[2],
            "value": path,
            "depth": path.count("/"),
            "count": sum(n for each, n in counts.items() if f"{each}/".startswith(f"{path}/")),
            "path": _address(query, {FOLDER: path}),
            "chosen": path == chosen,
        }
        for path in sorted(paths, key=lambda path: path.casefold().split("/"))
    ]


def _tag(name: str, count: int, chosen: str, query: QueryDict) -> Shown:
    """A tag, whose link filters by it; that of the chosen one filters no longer."""
    path = _address(query, {TAG: "" if name == chosen else name})
    return {"name": name, "count": count, "chosen": name == chosen, "path": path}


def _address(query: QueryDict, changes: dict[str, str]) -> str:
    """The first page of the list with other filters."""
    others = {
        name: value
        for name, value in query.items()
        if not name.startswith("page[") and name not in ("done", "key")
    }
    return "/model/?" + urlencode(
        {name: value for name, value in (others | changes).items() if value}
    )
