"""Key figures of a bureau, as JSON."""

from typing import Annotated, TypedDict

from apps.erp.base.models.bureaus import Bureau
from apps.erp.printing.domain.figures import Figures
from apps.erp.printing.domain.open_counts import OpenCounts
from core.api.openapi.response_types import Uri


class SalesWeekAnswer(TypedDict):
    """What was confirmed in a week."""

    week: Annotated[str, "Monday of the week (UTC), such as 2026-11-23."]
    net: Annotated[float, "Net amount of the line items confirmed in this week."]


class OpenQuotesAnswer(TypedDict):
    """Quotes that can be accepted."""

    count: Annotated[int, "Number of open quotes that have not expired."]
    total: Annotated[
        float | None, "Their amounts, in the bureau's currency; null without price.all."
    ]


class PunctualityAnswer(TypedDict):
    """Confirmed orders that were due in the last 30 days."""

    due: Annotated[int, "Number of confirmed orders with a due date in the last 30 days."]
    late: Annotated[int, "Number of those that are incomplete, or were completed after it."]
    share: Annotated[float | None, "Share of orders on time, from 0 to 1; null if none was due."]


class UtilisationAnswer(TypedDict):
    """Use of the printers in the last 7 days."""

    printers: Annotated[int, "Number of printers of the bureau."]
    printing_seconds: Annotated[float, "Print time in the last 7 days without pauses, s."]
    share: Annotated[
        float | None, "Share of the time of all printers, from 0 to 1; null without printers."
    ]


class ScrapAnswer(TypedDict):
    """Pieces that came to an end in the last 30 days."""

    finished: Annotated[int, "Number of pieces completed or rejected in the last 30 days."]
    rejected: Annotated[int, "Number of those that were rejected."]
    share: Annotated[float | None, "Share of rejected pieces, from 0 to 1; null without pieces."]


class FiguresAnswer(TypedDict):
    """Key figures of a bureau."""

    bureau: Uri
    currency: Annotated[str, "Currency of the amounts: that of the bureau."]
    sales: Annotated[
        list[SalesWeekAnswer] | None, "The last 12 weeks, oldest first; null without price.all."
    ]
    quotes: OpenQuotesAnswer
    on_time: PunctualityAnswer
    utilisation: UtilisationAnswer
    scrap: ScrapAnswer
    orders: Annotated[dict[str, int], "Number of orders by status."]
    waiting_printers: Annotated[
        int, "Printers with a paused, unclear or unstarted print, or a bed that is not cleared."
    ]


class OpenCountsAnswer(TypedDict):
    """What waits for people in a bureau; each count is at most 100, which means 100 or more."""

    bureau: Uri
    line_items: Annotated[int, "Line items with pieces that are in no run."]
    printers: Annotated[int, "Printers whose print or bed waits for a person."]
    orders: Annotated[int, "Orders that are new."]
    materials: Annotated[int, "Materials of which less than the reorder point is left."]


def open_counts_resource(bureau: Bureau, counts: OpenCounts) -> OpenCountsAnswer:
    """Return what waits for people in a bureau as JSON."""
    return {
        "bureau": bureau.uri,
        "line_items": counts.line_items,
        "printers": counts.printers,
        "orders": counts.orders,
        "materials": counts.materials,
    }


def figures_resource(key_figures: Figures) -> FiguresAnswer:
    """Return the key figures of a bureau as JSON."""
    late, share = key_figures.late, key_figures.late.share
    return {
        "bureau": key_figures.bureau.uri,
        "currency": key_figures.bureau.currency,
        "sales": None
        if key_figures.sales is None
        else [
            {"week": week.isoformat(), "net": float(net)} for week, net in key_figures.sales.items()
        ],
        "quotes": {
            "count": key_figures.open_quotes,
            "total": None if key_figures.quoted is None else float(key_figures.quoted),
        },
        "on_time": {
            "due": int(late.total),
            "late": int(late.part),
            "share": None if share is None else round(1 - share, 4),
        },
        "utilisation": {
            "printers": key_figures.printers,
            "printing_seconds": key_figures.printing.part,
            "share": key_figures.printing.share,
        },
        "scrap": {
            "finished": int(key_figures.rejected.total),
            "rejected": int(key_figures.rejected.part),
            "share": key_figures.rejected.share,
        },
        "orders": key_figures.orders,
        "waiting_printers": key_figures.waiting,
    }
