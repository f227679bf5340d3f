"""Price matrix of a price table: rows, progress, and the orders that take its cells."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.utils import timezone
from django.utils.formats import date_format

from apps.console.domain.messages import Context, Shown, error_message
from apps.console.domain.price_table import option_labels, quantities_of, rows_of
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import api_uri, page_path

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau, PriceTable

MAX_ORDERS = 50  # drafts that a select offers
# Its slices are waited for as long, and no longer: they may have failed.
RECENT = timedelta(minutes=10)


def matrix_of(visit: PageContext, table: PriceTable) -> Context:
    """The context of a table's matrix: models with their rows, progress, and draft orders."""
    rows = rows_of(table)
    exact = sum(row["basis"] == "slice" for row in table["cells"])
    priced = sum(row["net"] is not None for row in table["cells"])
    query = {"filter[uri]": ",".join(rows)}
    models = visit.api.list("models", "/model/", **query)["resources"]
    names = _names(visit, table)
    pending = table["status"] == "pending"
    young = datetime.fromisoformat(table["updated"]) > timezone.now() - RECENT
    return {
        "table": {**table, "path": page_path(table["uri"])},
        "options": option_labels(table),
        "quantities": quantities_of(table),
        "models": [
            {
                **model,
                "path": page_path(model["uri"]),
                "rows": [(_way(names, *way), cells) for way, cells in rows[model["uri"]].items()],
            }
            for model in models
        ],
        "exact": exact,
        "priced": priced,
        "pending": pending,
        "failed": table["status"] == "error",
        "errors": [error_message(error) for error in table["errors"] or ()],
        "is_waiting": pending or (exact < priced and young),
        "orders": _drafts(visit, table) if priced else [],
        "made": len(table["line_items"]),
    }


def table_of(visit: PageContext, model: str, shop: Bureau) -> PriceTable | None:
    """The table that the address names, or the newest one of a part in a shop; None without any."""
    try:
        named = visit.api.find(api_uri("price-table", UUID(visit.request.GET.get("table", ""))))
    except ValueError:
        named = None
    if named and any(cell["model"] == model for cell in named["cells"]):
        return named
    query = {"filter[model]": model, "filter[bureau]": shop["uri"], "sort": "-created"}
    rows = visit.api.list("erp", "/price-table/", **query, **{"page[limit]": 1})["resources"]
    return next(iter(rows), None)


def _drafts(visit: PageContext, table: PriceTable) -> list[Shown]:
    """The draft orders that a cell can be added to: of the same customer and currency."""
    query = {"filter[bureau]": table["bureau"], "filter[status]": "new", "sort": "-created"}
    rows = visit.api.list("erp", "/order/", **query, **{"page[limit]": MAX_ORDERS})["resources"]
    return [
        {"uri": row["uri"], "number": row["number"], "name": row["name"]}
        for row in rows
        if (row["customer"], row["currency"]) == (table["customer"], table["currency"])
    ]


def _names(visit: PageContext, table: PriceTable) -> dict[str, str]:
    """What materials and finishes are called, by their URIs."""
    kinds = {
        "material": {cell["material"] for cell in table["cells"]},
        "post-processor-type": {uri for cell in table["cells"] for uri in cell["finish"]},
    }
    return {
        row["uri"]: row["name"]
        for kind, uris in kinds.items()
        if uris
        for row in visit.all_of(kind, uri=",".join(sorted(uris)))
    }


def _way(names: dict[str, str], material: str, finish: tuple[str, ...], due: str | None) -> str:
    """How a row's parts are made, in words."""
    labels = [names.get(uri, "") for uri in (material, *finish)]
    day = [date_format(datetime.fromisoformat(due), "SHORT_DATE_FORMAT")] if due else []
    return ", ".join([*labels, *day])
