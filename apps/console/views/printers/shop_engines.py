"""Slicers that the agents of a shop run, as pages show and offer them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from apps.console.domain.messages import Context

if TYPE_CHECKING:
    from apps.console.views.base.page import PageContext
    from manufacturing.generated.slicing import Engine, Preset


def shop_engines(visit: PageContext) -> list[Engine]:
    """Return the slicers in the current shop; none where the slicing service is away."""
    shop = visit.shop
    if shop is None:
        return []
    rows = visit.api.list("slicing", "/engine/", **{"filter[in_shop]": "true"})
    return [row for row in rows["resources"] if row["bureau"] == shop["uri"]]


def shown_engines(rows: list[Engine], agents: Context) -> list[Context]:
    """Return slicers with the names of their agents, which are by URI."""
    return [
        {
            "title": row["name"].partition(" (")[0],
            "version": row["version"],
            "agent": agents[row["agent"]]["name"] if row["agent"] in agents else "",
            "usable": row["usable"],
            "label": _("Online") if row["usable"] else _("Offline"),
            "seen": parse_datetime(str(row["seen"])),
            "unconfined": row["isolation"] == "limits",
        }
        for row in rows
    ]


def engine_for(rows: list[Engine], preset: Preset) -> Engine | None:
    """Return the slicer that slices by the profile which a printer's preset was translated from.

    None also for a profile without start G-code.
    """
    if not preset["has_start_gcode"]:
        return None
    fitting = [row for row in rows if row["origin"] == preset["origin"]]
    return min(fitting, key=lambda row: not row["usable"], default=None)
