"""Curated parameters: schema, defaults, validation."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

LAYER_HEIGHTS = {"fine": 0.1, "standard": 0.2, "low": 0.3}  # mm
NOZZLE_TEMPERATURES = {"PLA": 210.0, "ABS": 240.0}  # degrees Celsius
BED_TEMPERATURES = {"PLA": 60.0, "ABS": 100.0}  # degrees Celsius


@dataclass(frozen=True)
class Parameter:
    """One parameter: its type, what it accepts, and what null stands for.

    kind    : "string", "float", "int" or "bool"
    default : None where it follows the material
    lowest, highest : inclusive, unless `above_lowest`
    """

    kind: str
    default: str | float | bool | None
    choices: tuple[str, ...] = ()
    lowest: float = -math.inf
    highest: float = math.inf
    above_lowest: bool = False
    unit: str = ""


PARAMETERS = {
    "material": Parameter("string", "PLA", choices=("ABS", "PLA")),
    "print_quality": Parameter("string", "standard", choices=("fine", "low", "standard")),
    "filament_diameter": Parameter("float", 1.75, lowest=1.0, highest=3.5, unit="mm"),
    "nozzle_diameter": Parameter("float", 0.4, lowest=0.1, highest=2.0, unit="mm"),
    "infill_density": Parameter("float", 20.0, lowest=0, highest=100, unit="%"),
    "infill_speed": Parameter("float", 60.0, lowest=0, highest=500, above_lowest=True, unit="mm/s"),
    "extruder_temperature": Parameter("float", None, lowest=150, highest=500, unit="°C"),
    "bed_temperature": Parameter("float", None, lowest=0, highest=200, unit="°C"),
    "perimeters": Parameter("int", 2, lowest=0, highest=100),
    "perimeter_speed": Parameter(
        "float", 40.0, lowest=0, highest=500, above_lowest=True, unit="mm/s"
    ),
    "support": Parameter("bool", default=False),
    "raft": Parameter("bool", default=False),
}

KINDS = {
    "string": "a string",
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
}


class ParameterError(NamedTuple):
    """One refused parameter: its key, the error's code, and how to mend it."""

    key: str
    code: str
    title: str


class ParameterErrors(ValueError):
    """Every reason why a set of parameters is refused, at once."""

    def __init__(self, errors: list[ParameterError]):
        super().__init__("; ".join(error.title for error in errors))
        self.errors = errors


def parse_parameters(raw: Mapping, *, alone: bool = True) -> dict[str, str | float | bool | None]:
    """All the curated parameters, as they were posted; null where nothing was.

    alone : whether they are all there is, or stand on top of presets

    Raises ParameterErrors.
    """
    errors = [unknown_parameter(key) for key in raw if key not in PARAMETERS]
    parsed: dict[str, str | float | bool | None] = {}
    for key, parameter in PARAMETERS.items():
        value = raw.get(key)
        if value == "" and parameter.kind == "string":
            value = None  # nothing known, as in any optional text
        if isinstance(value, float) and parameter.kind == "int" and value.is_integer():
            value = int(value)
        parsed[key] = value
        error = None if value is None else _error(key, parameter, value)
        if error:
            errors.append(error)
    if not errors and alone:
        errors = _contradictions(effective(parsed))
    if errors:
        raise ParameterErrors(errors)
    return parsed


def effective(parameters: Mapping) -> dict:
    """The values that a slice really uses: defaults filled in, one spelling, percent.

    Takes what parse_parameters gave.
    """
    values: dict[str, Any] = {
        key: parameter.default if parameters.get(key) is None else parameters[key]
        for key, parameter in PARAMETERS.items()
    }
    values["material"] = values["material"].upper()
    values["print_quality"] = values["print_quality"].lower()
    values["infill_density"] = infill_percent(values["infill_density"])
    if values["extruder_temperature"] is None:
        values["extruder_temperature"] = NOZZLE_TEMPERATURES[values["material"]]
    if values["bed_temperature"] is None:
        values["bed_temperature"] = BED_TEMPERATURES[values["material"]]
    return values


def sources(parameters: Mapping) -> dict[str, str]:
    """Where each value comes from: "config", or "default" where the config leaves it out."""
    return {key: "default" if parameters.get(key) is None else "config" for key in PARAMETERS}


def infill_percent(value: float) -> float:
    """An infill density in percent, 0-100: what is at most 1 was meant as a fraction."""
    # three decimals: an engine can die of a density that is next to nothing
    return round(value * 100 if value <= 1 else value, 3)


def unknown_parameter(key: object) -> ParameterError:
    """The error of a key that is no parameter."""
    known = ", ".join(PARAMETERS)
    title = f"{str(key)[:100]} is not a parameter. The parameters are: {known}."
    return ParameterError(str(key), "request-validation-error", title)


def _error(key: str, parameter: Parameter, value: object) -> ParameterError | None:
    if not is_of_kind(parameter.kind, value):
        title = f"{key} must be {KINDS[parameter.kind]}."
        return ParameterError(key, "type-validation-error", title)
    if is_allowed(parameter, value):
        return None
    title = f"{key} must be {_allowed(parameter)}."
    return ParameterError(key, "property-value-not-in-allowed-values", title)


def is_of_kind(kind: str, value: object) -> bool:
    """Whether a value is of a parameter's kind; true and false are no numbers."""
    if kind == "string":
        return isinstance(value, str)
    if kind == "bool":
        return isinstance(value, bool)
    numbers = int if kind == "int" else (int, float)
    return isinstance(value, numbers) and not isinstance(value, bool)


def is_allowed(parameter: Parameter, value: Any) -> bool:
    """Whether a value of the right kind is within the parameter's choices or bounds."""
    if parameter.choices:
        return value.casefold() in [choice.casefold() for choice in parameter.choices]
    if parameter.above_lowest and value == parameter.lowest:
        return False
    return parameter.lowest <= value <= parameter.highest  # false for NaN, too


def _allowed(parameter: Parameter) -> str:
    if parameter.choices:
        return "one of " + ", ".join(parameter.choices)
    start = "above" if parameter.above_lowest else "from"
    end = "and at most" if parameter.above_lowest else "to"
    return f"{start} {parameter.lowest:g} {end} {parameter.highest:g} {parameter.unit}".rstrip()


def _contradictions(values: Mapping) -> list[ParameterError]:
    """A layer cannot be higher than the hole that it comes from."""
    height, quality = LAYER_HEIGHTS[values["print_quality"]], values["print_quality"]
    if values["nozzle_diameter"] >= height:
        return []
    title = (
        f"nozzle_diameter must be at least {height:g} mm, the layer height of "
        f"print_quality {quality}. Choose a wider nozzle or a finer quality."
    )
    return [ParameterError("nozzle_diameter", "property-value-not-in-allowed-values", title)]
