"""What estimates and the lines of a quote look like, for the document."""

from typing import Annotated, NotRequired, TypedDict

from core.api.answers import Uri


class TermAnswer(TypedDict):
    """One part of a cost: so many units at a price, times a factor."""

    name: str
    quantity: float | None
    unit: str
    price: Annotated[float | None, "In the bureau's currency."]
    factor: float
    amount: Annotated[float | None, "Not rounded."]
    reason: Annotated[str | None, "Why there is no amount."]
    source: Annotated[Uri | None, "URI of what has the price."]


class CostAnswer(TypedDict):
    """An amount in the order's currency; null where a term has none."""

    amount: float | None
    currency: str


ConversionAnswer = TypedDict(
    "ConversionAnswer", {"from": str, "to": str, "factor": float | None, "reason": str | None}
)


class PieceEstimateAnswer(TypedDict):
    """What one piece takes and costs."""

    print_time: float | None
    material: float | None
    cost: CostAnswer


class SlicedWithAnswer(TypedDict):
    """What a print time comes from."""

    config: Uri
    layer_height: Annotated[float | None, "mm."]
    presets: Annotated[dict[str, str] | None, "Names, by kind."]
    time_factor: Annotated[float, "The printer type's, by which the engine's time was multiplied."]


class EstimatesAnswer(TypedDict):
    """What all pieces of a line item take and cost: s, cm3 without supports, money."""

    print_time: float | None
    material: float | None
    cost: CostAnswer
    per_piece: PieceEstimateAnswer
    lead_time: float | None
    lead_time_reason: str | None
    terms: list[TermAnswer]
    conversion: ConversionAnswer | None
    sliced_with: NotRequired[SlicedWithAnswer | None]


class LineMaterialsAnswer(TypedDict):
    """URIs of what a part and its supports are made of."""

    base: Uri | None
    support: Uri | None


class LineAnswer(TypedDict):
    """What is offered of a line item; `line_item` is null for the order's own shipping."""

    line_item: Uri | None
    name: str
    quantity: int
    model: Uri | None
    materials: LineMaterialsAnswer
    workflow: Uri | None
    config: Uri | None
    amount: float | None
    lead_time: float | None
    lead_time_reason: str | None
    terms: list[TermAnswer]
    conversion: ConversionAnswer | None
