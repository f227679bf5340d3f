"""Response types: estimates and quote lines."""

from typing import Annotated, Literal, NotRequired, TypedDict

from core.api.response_types import Uri


class TermAnswer(TypedDict):
    """One part of a cost: so many units at a price, times a factor."""

    name: str
    quantity: float | None
    unit: str
    price: Annotated[float | None, "In the bureau's currency."]
    factor: float
    amount: Annotated[float | None, "Not rounded."]
    reason: Annotated[str | None, "Why there is no amount, or what is missing."]
    source: Annotated[Uri | None, "URI of what has the price."]


class CostAnswer(TypedDict):
    """An amount in the order's currency; null where a term has none."""

    amount: float | None
    currency: str


ConvertedAnswer = TypedDict(
    "ConvertedAnswer", {"from": str, "to": str, "factor": float | None, "reason": str | None}
)


class PieceEstimateAnswer(TypedDict):
    """What one piece takes and costs."""

    print_time: float | None
    material: float | None
    cost: CostAnswer


class SlicedWithAnswer(TypedDict):
    """What a print time comes from."""

    config: Uri
    layer_height: Annotated[float | None, "Of its layers, mm; null where that is not known."]
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
    conversion: ConvertedAnswer | None
    sliced_with: NotRequired[SlicedWithAnswer | None]


class PricePartAnswer(TypedDict):
    """A part of a price, as the customer reads it."""

    step: str
    sentence: str
    amount: float


class TaxAnswer(TypedDict):
    """A tax by its category of EN 16931."""

    category: str
    rate: Annotated[float, "Per cent."]
    basis: float
    amount: float
    sentence: str | None


class ParcelAnswer(TypedDict):
    """What shipping asks about one piece."""

    grams: float | None
    longest: Annotated[float | None, "Its longest side, mm; null where that is not known."]


class LinePriceAnswer(TypedDict):
    """What a line item is sold for."""

    net: float
    taxes: NotRequired[list[TaxAnswer]]
    gross: NotRequired[float]
    unit: NotRequired[Annotated[float, "The price of `unit_of` pieces."]]
    unit_of: NotRequired[int]
    currency: str
    terms: list[PricePartAnswer]
    basis: NotRequired[Annotated[str, Literal["slice", "estimate", "manual"]]]
    within: NotRequired[Annotated[float, "How far off at most, per cent."]]
    parcel: NotRequired[ParcelAnswer]
    agreed: NotRequired[Annotated[Uri, "The price table that it was ordered by."]]


class ReviewAnswer(TypedDict):
    """Why a person must look before there is a price."""

    code: str
    title: str
    why: NotRequired[Annotated[str, "What exactly: for those who may change prices."]]


class LineMaterialsAnswer(TypedDict):
    """URIs of what a part and its supports are made of."""

    base: Uri | None
    support: Uri | None


class LineAnswer(TypedDict):
    """What is offered of a line item, or asked once of the order."""

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
    conversion: ConvertedAnswer | None
    price: LinePriceAnswer | None
    review: list[ReviewAnswer] | None
