"""Page of failed prints and rejected pieces, by printer, material and profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.http import HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from apps.console.domain.resources.resource_values import moment
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import page_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from manufacturing.generated.erp import FailureCounts
    from manufacturing.generated.slicing import Config

MAX_PROFILES = 20  # whose names are read


class FailureRow(NamedTuple):
    """Counts of a printer, a material or a profile; shares in percent, empty without a total."""

    name: str
    path: str
    counts: FailureCounts
    failed_share: str
    rejected_share: str


@page("GET")
def failure_rates(visit: PageContext) -> HttpResponse:
    """Show how many prints of the current shop failed, and how many pieces were rejected."""
    if not visit.shop:
        return visit.go("/bureau/")
    rates = visit.api.get(f"{visit.shop['uri']}failure-rates/")
    profiles = rates["profiles"][:MAX_PROFILES]
    names = _profile_names(visit, [row["config"] for row in profiles if row["config"]])
    return visit.show(
        "failure-rates",
        shop=visit.shop,
        since=moment(rates["since"]),
        total=_row(_("All prints"), None, rates["total"]),
        groups=[
            (
                _("By printer"),
                _("Printer"),
                [_row(row["name"], row["printer"], row) for row in rates["printers"]],
            ),
            (
                _("By material"),
                _("Material"),
                [_row(row["name"], row["material"], row) for row in rates["materials"]],
            ),
            (
                _("By print profile"),
                _("Print profile"),
                [
                    _row(names.get(row["config"]) or _unnamed(row["config"]), None, row)
                    for row in profiles
                ],
            ),
        ],
    )


def _profile_names(visit: PageContext, uris: Sequence[str]) -> dict[str, str | None]:
    """What configs are called that the person reads: their print preset, or their description."""
    if not uris:
        return {}
    query = {"filter[uri]": ",".join(uris), "page[limit]": MAX_PROFILES}
    rows: list[Config] = visit.api.list("slicing", "/config/", **query)["resources"]
    return {
        row["uri"]: row["preset"]["names"].get("print") if row["preset"] else row["description"]
        for row in rows
    }


def _unnamed(config: str | None) -> str:
    return _("Unnamed profile") if config else _("G-code of another origin")


def _row(name: str | None, uri: str | None, counts: FailureCounts) -> FailureRow:
    return FailureRow(
        name or _("Not set"),
        page_path(uri) if uri else "",
        counts,
        _share(counts["failed"], counts["prints"]),
        _share(counts["rejected"], counts["pieces"]),
    )


def _share(part: int, total: int) -> str:
    return f"{number_format(100 * part / total, 1)} %" if total else ""
