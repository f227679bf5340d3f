"""Rows, columns and cell texts of a price table."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, Any

from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import LocalizedText, Shown
from apps.console.domain.production_status import money

if TYPE_CHECKING:
    from manufacturing.generated.erp import Cell, PriceTable, Review
    from manufacturing.generated.sales import ReviewReason, SharedLine, VisitCell, VisitTable

# Why there is no price, by the API's code; what is not here is shown in its own words.
REVIEWS: dict[str, Promise] = {
    "number-missing": gettext_lazy("Part data incomplete."),
    "formula-broken": gettext_lazy("Price list cannot price this part."),
    "out-of-bounds": gettext_lazy("Above the limit for automatic pricing."),
    "no-rule": gettext_lazy("Material not offered."),
    "no-workflow": gettext_lazy("Finish not offered in this material."),
    "too-large": gettext_lazy("Exceeds the build volume of this material's printer."),
    "not-due": gettext_lazy("Due date cannot be met."),
    "tax-unclear": gettext_lazy("Tax rate unclear."),
}

SUPPORTS = {
    "auto": gettext_lazy("Automatic, by overhangs"),
    "on": gettext_lazy("Always"),
    "off": gettext_lazy("Off"),
}
ORIENTATIONS = {
    "as_is": gettext_lazy("As uploaded"),
    "upright": gettext_lazy("About the vertical only"),
    "free": gettext_lazy("Any"),
}

# What an amount of a term is of, by the API's word; what is not here is shown by that.
UNITS: dict[str, Promise | str] = {
    "piece": gettext_lazy("piece"),
    "cc": "cm³",
    "cc_support": gettext_lazy("cm³ of support"),
    "gram": "g",
    "hour": gettext_lazy("hour"),
    "cm2": "cm²",
    "box_cc": gettext_lazy("cm³ bounding box"),
    "hull_cc": gettext_lazy("cm³ convex hull"),
    "layer": gettext_lazy("layer"),
    "build": gettext_lazy("build"),
    "line": gettext_lazy("order line"),
    "order": gettext_lazy("order"),
}


def review(reasons: Iterable[Review | ReviewReason] | None) -> list[LocalizedText]:
    """Why a person must look before there is a price."""
    return [LocalizedText(REVIEWS.get(reason["code"], reason["title"])) for reason in reasons or ()]


def cell(row: Cell | VisitCell, at: int, currency: str, *, pending: bool = False) -> Shown:
    """A cell with words for what it says: `at` is its place in the API's list."""
    if pending:
        return {"at": at, "pending": True}
    if row["net"] is None:
        return {"at": at, "review": review(row["review"])}
    exact = row["basis"] == "slice"
    gross = row["gross"] if row["gross"] is not None else row["net"]
    return {
        "at": at,
        "quantity": row["quantity"],
        "exact": exact,
        "price": ("" if exact else "≈ ") + money(gross, currency),
        "each": _each(row, currency),
        "within": "" if exact else number_format(row["within"] or 0, 0),
        "ready": _day(row["ready"]),
    }


def _each(row: Cell | VisitCell, currency: str) -> str:
    if row["unit"] is None or row["unit_of"] is None or row["quantity"] == 1:
        return ""
    values = {"price": money(row["unit"], currency), "n": number_format(row["unit_of"])}
    if row.get("includes_tax"):
        one, several = _("%(price)s per piece incl. tax"), _("%(price)s for %(n)s incl. tax")
    else:
        one, several = _("%(price)s per piece excl. tax"), _("%(price)s for %(n)s excl. tax")
    return (one if row["unit_of"] == 1 else several) % values


def surcharge(amount: float, currency: str) -> str:
    """A difference of prices with its sign; nothing where there is none."""
    amount = round(amount, 6)  # of the difference of two floats, whose digits would be cut
    if not amount:
        return ""
    return f"{'+' if amount > 0 else '−'} {money(abs(amount), currency)}"


def day_of_all(rows: Iterable[VisitCell]) -> str:
    """The day by which all of these are ready; nothing where that of one is unknown."""
    days = [row["ready"] or "" for row in rows]
    return _day(max(days)) if days and all(days) else ""


def _day(said: str | None) -> str:
    day = date_format(date.fromisoformat(said), "SHORT_DATE_FORMAT") if said else ""
    return day.replace("-", "\N{NON-BREAKING HYPHEN}")


def rows_of(table: PriceTable) -> dict[str, dict[tuple[Any, ...], list[Shown]]]:
    """The cells by model, and by how it is made: material, finishes, due date.

    A row has a cell for each quantity, in the order in which they were asked for.
    """
    models: dict[str, dict[tuple[Any, ...], list[Shown]]] = {}
    for at, entry in enumerate(table["cells"]):
        way = entry["material"], tuple(entry["finish"]), entry["due"]
        row = models.setdefault(entry["model"], {}).setdefault(way, [])
        row.append(cell(entry, at, table["currency"], pending=table["status"] == "pending"))
    return models


def option_labels(table: PriceTable) -> list[str]:
    """The print options of a table that are not the printer's own, in words."""
    labels = chosen_labels(table)
    if orientation := table["orientation"]:
        labels.append(f"{_('Rotation on the plate')}: {ORIENTATIONS.get(orientation, orientation)}")
    return labels


def chosen_labels(table: PriceTable | VisitTable | SharedLine) -> list[str]:
    """The print options that a visitor can choose, in words."""
    labels = []
    if height := table["layer_thickness"]:
        labels.append(f"{_('Layer height')} {number_format(height)} mm")
    if infill := table["infill_strategy"]:
        labels.append(f"{_('Infill')} {infill.rstrip(' %')} %")
    if supports := table["support_strategy"]:
        labels.append(f"{_('Supports')}: {SUPPORTS.get(supports, supports)}")
    return labels


def quantities_of(table: PriceTable) -> list[int]:
    """How many are asked about, in the order of the columns."""
    return list(dict.fromkeys(entry["quantity"] for entry in table["cells"]))
