"""Response types: estimates, prices and quote lines, as they are stored, too."""

from typing import Annotated, Literal, NotRequired, TypedDict

from core.api.openapi.schema_hints import SchemaHints, Uri
from pricing.manual_review import ReviewAnswer

Day = Annotated[str, SchemaHints({"format": "date"})]


class TermAnswer(TypedDict):
    """One part of a cost: so many units at a price, times a factor."""

    name: str
    quantity: float | None
    unit: str
    price: Annotated[float | None, "Price per unit, in the bureau's currency."]
    factor: float | None
    amount: Annotated[float | None, "Amount, not rounded."]
    reason: Annotated[str | None, "Reason for a missing amount, or missing data."]
    source: Annotated[Uri | None, "URI of the resource that defines the price."]


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
    layer_height: Annotated[float | None, "Layer height, mm; null if unknown."]
    supports: NotRequired[Annotated[bool | None, "Whether supports are generated."]]
    infill: NotRequired[Annotated[float | None, "Infill density, percent; null if unknown."]]
    presets: Annotated[dict[str, str] | None, "Names of the presets, by kind."]
    time_factor: Annotated[
        float, "Time factor of the printer type applied to the engine's estimate."
    ]


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
    rate: Annotated[float, "Tax rate, percent."]
    basis: float
    amount: float
    sentence: str | None


class TotalsAnswer(TypedDict):
    """What the line items of an order or a quote come to; null where that of one is not known."""

    parts: Annotated[float | None, "Net price of the line items, or their cost without a list."]
    charges: Annotated[float | None, "Net charges of the whole order, such as shipping."]
    net: Annotated[float | None, "Net price of parts and charges."]
    taxes: list[TaxAnswer]
    gross: Annotated[float | None, "Net price plus taxes."]
    currency: str


class ManualPriceAnswer(TypedDict):
    """A price that a member has set by hand."""

    net: float
    note: str
    by: Annotated[Uri, "User who set the price."]


class ParcelAnswer(TypedDict):
    """What shipping asks about one piece."""

    grams: float | None
    longest: Annotated[float | None, "Longest side, mm; null if unknown."]


class LinePriceAnswer(TypedDict):
    """What a line item is sold for."""

    net: float
    taxes: NotRequired[list[TaxAnswer]]
    gross: NotRequired[float]
    includes_tax: NotRequired[Annotated[bool, "Whether `unit` and the terms include tax."]]
    unit: NotRequired[Annotated[float, "Price of `unit_of` pieces."]]
    unit_of: NotRequired[int]
    currency: str
    terms: list[PricePartAnswer]
    basis: NotRequired[Annotated[str, Literal["slice", "estimate", "manual"]]]
    within: NotRequired[Annotated[float, "Maximum error, percent."]]
    parcel: NotRequired[ParcelAnswer]
    agreed: NotRequired[Annotated[Uri, "Price table of the order."]]


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
