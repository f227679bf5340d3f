"""Versions of a part: the list on its page, and the numbers in the library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.formats import number_format

from apps.console.domain.messages import Shown
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path

if TYPE_CHECKING:
    from manufacturing.generated.models import Model, ModelVersion

PATH = "/model/versions/"
MAX_VERSIONS = 50  # that a page shows


def versions_of(visit: PageContext, model: Model) -> list[Shown]:
    """The versions of the part of which a model is one, newest first; none of a single model."""
    query = {"filter[versions_of]": model["uri"], "sort": "-number", "page[limit]": MAX_VERSIONS}
    rows: list[ModelVersion] = visit.api.list("models", PATH, **query)["resources"]
    if not rows:
        return []
    uris = ",".join(row["model"] for row in rows)
    query = {"filter[uri]": uris, "page[limit]": MAX_VERSIONS}
    models = {row["uri"]: row for row in visit.api.list("models", "/model/", **query)["resources"]}
    return [
        {
            "number": row["number"],
            "note": row["note"],
            "path": page_path(row["model"]),
            "name": models[row["model"]]["name"],
            "picture": models[row["model"]]["thumbnail_content"],
            "created": datetime.fromisoformat(models[row["model"]]["created"]),
            "size": _size(models[row["model"]]),
            "change": _change(models[row["model"]], models.get(row["replaces"] or "")),
            "is_here": row["model"] == model["uri"],
            "is_newest": row["model"] == row["newest"],
        }
        for row in rows
        if row["model"] in models
    ]


def version_numbers(visit: PageContext, models: Sequence[Model]) -> dict[str, int]:
    """The version of each of these parts that is one, by its URI."""
    uris = ",".join(model["uri"] for model in models)
    if not uris:
        return {}
    query = {"filter[model]": uris, "page[limit]": len(models)}
    rows: list[ModelVersion] = visit.api.list("models", PATH, **query)["resources"]
    return {row["model"]: row["number"] for row in rows}


def _size(model: Model) -> str:
    sides = [model["size"][axis] for axis in ("x", "y", "z")]
    if None in sides:
        return ""
    return " × ".join(number_format(round(side or 0, 1), 1) for side in sides) + " mm"


def _change(model: Model, earlier: Model | None) -> str:
    """By how much the volume differs from that of the version before; empty where it does not."""
    volume, before = model["volume_mm"], earlier["volume_mm"] if earlier else None
    if not volume or not before:
        return ""
    percent = round(100 * (volume / before - 1), 1)
    return f"{'+' if percent > 0 else '−'}{number_format(abs(percent), 1)} %" if percent else ""
