"""Material shortages, as JSON."""

from typing import Annotated, TypedDict

from apps.erp.base.serializers.resources import shown_amount
from apps.erp.orders.domain.shortages import Supply
from apps.erp.orders.models.orders import LineItem
from apps.erp.production.models.runs import Run
from core.api.openapi.response_types import Uri


class ShortageAnswer(TypedDict):
    """A material of which more is needed than there is."""

    material: Uri
    name: str
    unit: str
    needed: Annotated[float, "Demand of runs that have not started and of pieces without a run."]
    free: Annotated[float, "Unreserved stock in lots that have not expired."]
    missing: float
    runs: list[Uri]
    line_items: list[Uri]


def shortage_resource(found: Supply) -> ShortageAnswer:
    """A shortage, as JSON."""
    return {
        "material": found.material.uri,
        "name": found.material.name,
        "unit": found.unit,
        "needed": shown_amount(found.needed) or 0.0,
        "free": shown_amount(found.free) or 0.0,
        "missing": shown_amount(found.missing) or 0.0,
        "runs": [Run.uri_of(key) for key in found.runs],
        "line_items": [LineItem.uri_of(key) for key in found.line_items],
    }
