"""Response types: cells of a price table, as they are stored, too."""

from typing import Annotated, Literal, NotRequired, TypedDict

from apps.erp.orders.domain.response_types import Day
from core.api.openapi.schema_hints import Uri
from pricing.manual_review import ReviewAnswer


class CellTermAnswer(TypedDict):
    """A part of a cell's net."""

    sentence: str
    amount: float


class CellAnswer(TypedDict):
    """What one part costs in one way; all numbers are null while pending, or `review` says why."""

    model: Uri
    material: Uri
    quantity: int
    finish: list[Uri]
    due: Day | None
    unit: Annotated[float | None, "Price of `unit_of` pieces."]
    unit_of: int | None
    includes_tax: NotRequired[Annotated[bool, "Whether `unit` and the terms include tax."]]
    net: float | None
    tax: float | None
    gross: float | None
    terms: list[CellTermAnswer]
    ready: Annotated[Day | None, "Estimated delivery date; null if no time is known."]
    basis: Annotated[str | None, Literal["slice", "estimate"]]
    within: Annotated[float | None, "Maximum error of the estimate, percent; 0 for a slice."]
    nested: Annotated[int, "Number of pieces that fit into an open run."]
    review: list[ReviewAnswer] | None
