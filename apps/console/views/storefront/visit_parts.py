"""Parts of a visit with their prices, and the cart, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import UUID

from apps.console.domain.messages import Context, Shown
from apps.console.domain.model_report import is_awaited, printability
from apps.console.domain.price_table import cell, chosen_labels, day_of_all, surcharge
from apps.console.views.base.page_urls import uuid_of
from apps.console.views.base.print_options import offered_options
from apps.console.views.base.store_context import VisitContext
from apps.console.views.parts.models import described_model
from apps.console.views.storefront.order_link import total_rows

if TYPE_CHECKING:
    from manufacturing.generated.models import Model
    from manufacturing.generated.sales import (
        OfferedMaterial,
        StorefrontPage,
        VisitCell,
        VisitTable,
    )

MAX_FILES = 100  # that a page shows
READY = "processed"
Row = tuple[str, tuple[str, ...]]  # material and finishes, by their URIs


def models_of(visit: VisitContext) -> list[Model]:
    """The parts that the visitor has uploaded, in the order of their upload."""
    if visit.visit is None:
        return []
    query = {"sort": "created", "page[limit]": MAX_FILES}
    models: list[Model] = visit.api.list("models", "/model/", **query)["resources"]
    # Of a file of several objects each object is a part.
    return [
        model
        for model in models
        if model["conversion"] is None or model["conversion"]["status"] != "complete"
    ]


def is_ready(model: Model) -> bool:
    """Whether the model is analysed, and can have a price."""
    return bool(model["status"] == READY)


def key_of_table(table: VisitTable) -> str:
    """The key of a price table of a visit."""
    return str(table["uri"]).rstrip("/").rpartition("/")[2]


def read_tables(visit: VisitContext, keys: Iterable[str]) -> list[VisitTable]:
    """The price tables with these keys that the visit still has, or those of the cart."""
    if visit.visit is None:
        return []
    uris = [line["price_table"] for line in visit.visit["cart"]]
    if named := [key for key in keys if _is_key(key)]:
        uris = [f"{visit.visit_uri}price-table/{UUID(key)}/" for key in named]
    tables = (visit.api.find(uri) for uri in dict.fromkeys(uris))
    return [table for table in tables if table]


def _is_key(text: str) -> bool:
    try:
        return bool(UUID(text))
    except ValueError:
        return False


def tables_by_part(tables: Iterable[VisitTable]) -> dict[str, VisitTable]:
    """The first table that has a part, by the URI of the part."""
    by_part: dict[str, VisitTable] = {}
    for table in tables:
        for price in table["cells"]:
            by_part.setdefault(price["model"], table)
    return by_part


def is_waiting(table: VisitTable) -> bool:
    """Whether prices still change: slices, or the computing of a large table, are awaited."""
    return table["status"] not in ("exact", "error") and any(
        cell["net"] is None or cell["basis"] != "slice"
        for cell in table["cells"]
        if not cell["review"]
    )


def part_of(
    visit: VisitContext, model: Model, table: VisitTable | None, *, is_only: bool
) -> Context:
    """A part in words, with its rows of prices and its own print options.

    is_only : whether the visit has no other part; a price of it is chosen in advance
    """
    front = visit.storefront
    rows = _rows(front, model, table) if front and table else []
    key = uuid_of(model["uri"])
    cart = visit.visit["cart"] if visit.visit else []
    chosen = [line["cell"] for line in cart if table and line["price_table"] == table["uri"]]
    return {
        **described_model(model),
        "uuid": key,
        "lines": printability(model)[:3],
        "is_ready": is_ready(model),
        "is_awaited": is_awaited(model),
        "cells": table is not None,
        "chosen": _default_choice(rows) if is_only and not cart else chosen,
        "has_final": any(price.get("exact") for row in rows for price in row["cells"]),
        "table": table and key_of_table(table),
        "quantities": quantities_of(table, model) if table else [],
        "labels": ", ".join(chosen_labels(table)) if table else "",
        "options": front and table and offered_options(front, table, auto_id=f"{key}-%s"),
        "rows": rows,
    }


def _default_choice(rows: list[Context]) -> list[int]:
    """The first price of a part, once it is final; another one is only final before it."""
    prices = (price for row in rows for price in row["cells"] if "price" in price)
    first = next(prices, None)
    return [first["at"]] if first and first["exact"] else []


def quantities_of(table: VisitTable, model: Model) -> list[int]:
    """The quantities in which a table has prices of a part."""
    prices = [price for price in table["cells"] if price["model"] == model["uri"]]
    return list(dict.fromkeys(price["quantity"] for price in prices))


def _rows(front: StorefrontPage, model: Model, table: VisitTable) -> list[Context]:
    """The rows of prices of a part: material and finishes, and a cell for each quantity.

    A finish that is not made in a material has no row.
    """
    rows: dict[Row, list[Shown]] = {}
    unmade: set[Row] = set()
    gross: dict[tuple[str, int], float] = {}
    for at, price in enumerate(table["cells"]):
        if price["model"] != model["uri"]:
            continue
        way = price["material"], tuple(price["finish"])
        shown = cell(price, at, table["currency"])
        if any(reason["code"] == "no-workflow" for reason in price["review"] or ()):
            unmade.add(way)
        if price["gross"] is not None:
            plain = gross.setdefault((price["material"], price["quantity"]), price["gross"])
            if price["finish"] and "price" in shown:
                shown["more"] = surcharge(price["gross"] - plain, table["currency"])
        rows.setdefault(way, []).append(shown)
    materials = {row["uri"]: row for row in front["materials"]}
    names = finish_names(front)
    return [
        {
            "material": materials[material],
            "finish": ", ".join(names.get(uri, "") for uri in finish),
            "cells": cells,
        }
        for (material, finish), cells in rows.items()
        if material in materials and (material, finish) not in unmade
    ]


def finish_names(front: StorefrontPage) -> dict[str, str]:
    """The names of the finishes that a storefront offers, by URI."""
    return {row["uri"]: row["name"] for row in front["finishes"]}


def cart_of(visit: VisitContext, models: list[Model]) -> Context | None:
    """What is in the cart, with the totals; None while it is empty, and where a part is gone."""
    if visit.visit is None or visit.storefront is None or not visit.visit["cart"]:
        return None
    parts = {model["uri"]: model for model in models}
    materials = {row["uri"]: row for row in visit.storefront["materials"]}
    finishes = finish_names(visit.storefront)
    tables = {line["price_table"] for line in visit.visit["cart"]}
    rows = {uri: table for uri in tables if (table := visit.api.find(uri))}
    if rows.keys() != tables:
        return None
    lines = [
        (rows[line["price_table"]], rows[line["price_table"]]["cells"][line["cell"]])
        for line in visit.visit["cart"]
    ]
    totals = visit.visit["totals"]
    return {
        "lines": [
            {
                **_line(line, parts.get(line["model"]), materials.get(line["material"]), finishes),
                "options": ", ".join(chosen_labels(table)),
            }
            for table, line in lines
        ],
        "ready": day_of_all(line for _table, line in lines),
        "ready_on": max((line["ready"] or "" for _table, line in lines), default=""),
        "totals": total_rows(totals) if totals else [],
    }


def _line(
    cell: VisitCell,
    part: Model | None,
    material: OfferedMaterial | None,
    finishes: dict[str, str],
) -> Context:
    """A line of the cart, with the picture of the part in the colour of the material."""
    names = (
        material["name"] if material else "",
        *(finishes.get(uri, "") for uri in cell["finish"]),
    )
    return {
        "name": part["name"] if part else "",
        "picture": part and part["snapshot"],
        "color": material and material["color"],
        "material": ", ".join(names),
        "quantity": cell["quantity"],
    }
