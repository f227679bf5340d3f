"""Values of OrcaSlicer and Bambu Studio as PrusaSlicer writes them.

A converter takes the first value of a setting and its profile; it returns the value, several values
for as many settings, or None where the value has no equivalent.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from apps.slicing.configs.capabilities import NUMBER

Converted = str | tuple[str, ...] | None


class Source(NamedTuple):
    """What converters see of a profile.

    values : first value of each setting
    nozzle : diameter in mm; None where printers of several nozzles have the profile
    """

    values: Mapping[str, str]
    nozzle: float | None = None


Converter = Callable[[str, Source], Converted]


def plain(value: str) -> float | None:
    """Return a finite number; None for anything else, percentages among them."""
    if not NUMBER.fullmatch(value.strip()) or "%" in value:
        return None
    number = float(value)
    return number if math.isfinite(number) and abs(number) < 1e9 else None


def share(value: str) -> float | None:
    """Return the fraction that a percentage is; None for anything else."""
    number = plain(value.strip().removesuffix("%")) if "%" in value else None
    return None if number is None else number / 100


def number(value: str, _source: Source) -> Converted:
    result = plain(value)
    return None if result is None else f"{result:.6g}"


def positive(value: str, _source: Source) -> Converted:
    result = plain(value)
    return f"{result:.6g}" if result and result > 0 else None


def integer(value: str, _source: Source) -> Converted:
    """Whole numbers: never more than the source has, so that bounds hold."""
    result = plain(value)
    return None if result is None else str(math.floor(result))


def switch(value: str, _source: Source) -> Converted:
    return {"1": "1", "true": "1", "0": "0", "false": "0"}.get(value.strip().lower())


def inverted(value: str, source: Source) -> Converted:
    return {"1": "0", "0": "1"}.get(str(switch(value, source)))


def percentage(value: str, _source: Source) -> Converted:
    result = plain(value.strip().removesuffix("%"))
    return None if result is None else f"{result:.6g}%"


def number_or_share(value: str, source: Source) -> Converted:
    return percentage(value, source) if "%" in value else number(value, source)


def ratio(value: str, source: Source) -> Converted:
    """A plain number, which a percentage may stand for."""
    fraction = share(value)
    return number(value, source) if fraction is None else f"{fraction:.6g}"


def text(value: str, _source: Source) -> Converted:
    return value.strip().partition("\n")[0][:200] or None


def share_of(*keys: str) -> Converter:
    """Numbers, or percentages of another setting of the source, whose value is then taken."""

    def convert(value: str, source: Source) -> Converted:
        fraction = share(value)
        if fraction is None:
            return number(value, source)
        bases = (number_of(source, key) for key in keys)
        base = next((one for one in bases if one), None)
        return None if base is None else f"{fraction * base:.6g}"

    return convert


def width(value: str, source: Source) -> Converted:
    """Widths of lines: a percentage is of the nozzle here, and of the layer in PrusaSlicer."""
    fraction = share(value)
    if fraction is None:
        return number(value, source)
    return None if source.nozzle is None else f"{fraction * source.nozzle:.4g}"


def one_of(table: Mapping[str, Converted]) -> Converter:
    """Words by a table; a word that is not in it has no equivalent."""
    return lambda value, _source: table.get(value.strip().lower().replace("_", " "))


def number_of(source: Source, key: str, steps: int = 3) -> float | None:
    """Return a setting as a number, a percentage of the outer walls or the usual value resolved."""
    value = source.values.get(key, "")
    if (fraction := share(value)) is None:
        return plain(value)
    base = "outer_wall_speed" if key.endswith("speed") else "default_acceleration"
    number = number_of(source, base, steps - 1) if steps and base != key else None
    return None if number is None else fraction * number
