"""Types of the stored basis of a price table: numbers are exact as strings, rows are copies."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from core.api.openapi.schema_hints import FreeJson
from pricing.manual_review import ReviewAnswer

# A cost driver: a decimal number, or the fields of an UnknownDriver.
PlainDriver = str | dict[str, str]


class PrintOptionValues(TypedDict, total=False):
    """Print options of all cells, by their names in a line item; those that were chosen."""

    support_strategy: str
    infill_strategy: str
    layer_thickness: float | None


class BasisModel(TypedDict):
    """A model; numbers: cost drivers of its shape."""

    uri: str
    name: str
    sha256: str | None
    closed: bool
    numbers: dict[str, PlainDriver]


class BasisEnergy(TypedDict):
    """Price of a kWh in the currency of the bureau, and the power of the printer type."""

    price: str
    kilowatts: str


class EnergyValues(TypedDict, total=False):
    """Energy of a material's printer type, where it has any."""

    energy: BasisEnergy


class BasisMaterial(TypedDict):
    """A material and the printer type that prints it, if any.

    cost, hour, overhead : in the currency of the bureau: of a cm³, of an hour, of a piece
    configs              : URI of a model -> URI of the config that it is sliced with
    config               : the same for all models, in tables of earlier versions
    not_sliced           : why there are no configs
    recipes              : keys of the sets of slicer settings
    """

    key: str
    uri: str
    name: str
    density: float | None
    cost: str | None
    machine: str | None
    machine_key: str
    configs: NotRequired[dict[str, str]]
    config: NotRequired[str | None]
    not_sliced: str
    recipes: list[str]
    hour: NotRequired[str | None]
    hour_factor: NotRequired[float]
    time_factor: NotRequired[float]
    material_factor: NotRequired[float]
    overhead: NotRequired[str | None]
    energy: NotRequired[BasisEnergy]


class BasisFinish(TypedDict):
    """A post-processor type; cost: of a piece, duration: s of a piece."""

    key: str
    uri: str
    name: str
    cost: str | None
    duration: float | None


class BasisDeal(TypedDict):
    """Fields of a SaleContext; rate: of the list's currency in that of the sale."""

    group: str
    country: str
    shipping: str
    digits: int
    rate: str | None
    currency: str
    language: str


class BasisTax(TypedDict, total=False):
    """Tax of the sale, or `review` alone: why it is not known."""

    category: str
    rate: str
    sentence: str | None
    review: ReviewAnswer


class OwnValues(TypedDict):
    """What the list says of making, beside its terms."""

    hours_per_build: float | None
    seconds_per_layer: float | None


class OwnOptions(OwnValues):
    """The same, and whether cells are sold whose slice is not there yet."""

    sell_estimates: bool


class PartValues(TypedDict):
    """Models and materials; fits: "model printer-type" -> pieces that fit one build."""

    models: Sequence[BasisModel]
    materials: Sequence[BasisMaterial]
    fits: dict[str, PlainDriver]


class TableBasis(PartValues):
    """All that a price table is computed from, but for the slices.

    calendar_days : working days from the day of the request on, ISO 8601
    nested        : "model material" -> pieces that fit into an open run
    due, weekdays : due dates, and the working days until each
    list          : the price list, as `pricing.parsing.read_list` takes it
    """

    day: str
    own: OwnOptions
    deal: BasisDeal
    tax: BasisTax
    shipping_days: int
    calendar_days: Sequence[str]
    hours_a_day: float
    nested: NotRequired[dict[str, int]]
    quantities: Sequence[int]
    finishes: Sequence[Sequence[BasisFinish]]
    due: Sequence[str | None]
    weekdays: Sequence[int | None]
    options: NotRequired[PrintOptionValues]
    printer_type: NotRequired[str]
    list: FreeJson
