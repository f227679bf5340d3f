"""Parse result of a raw config, and its errors."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

MAX_FAULTS = 50  # listed in one error
THINNEST_LAYER = 0.02  # mm
MAX_LAYERS = 20_000
SAME_HEIGHT = 1e-6  # mm
MAX_VALUE_LENGTH = 100_000  # bytes; a program's argument has at most 128 KiB


class Entry(NamedTuple):
    """One setting as it was written; `line` counts from 1, None where there are no lines."""

    line: int | None
    key: str
    value: str


class Note(NamedTuple):
    """A setting that is not used as it was written, and why."""

    line: int | None
    key: str
    title: str


class RawConfig(NamedTuple):
    """Settings by the engine's names, in its own spelling, and what was left out.

    lines : setting -> the line on which the file sets it
    """

    settings: dict[str, str]
    notes: list[Note]
    lines: Mapping[str, int | None] = MappingProxyType({})


class RawConfigError(NamedTuple):
    """One fault: where it is, the error's code, and how to mend it."""

    line: int | None
    key: str | None
    code: str
    title: str


class RawConfigErrors(ValueError):
    """Every reason why a raw config is refused, at once."""

    def __init__(self, errors: Iterable[RawConfigError]):
        self.errors = list(errors)[:MAX_FAULTS]
        super().__init__("; ".join(error.title for error in self.errors))


def invalid(entry: Entry, title: str) -> RawConfigError:
    """A value that cannot be used."""
    return RawConfigError(
        entry.line, entry.key, "property-value-not-in-allowed-values", _place(entry) + title
    )


def forbidden(entry: Entry, title: str) -> RawConfigError:
    """A setting that would harm this server."""
    return RawConfigError(entry.line, entry.key, "forbidden-setting", _place(entry) + title)


def unreadable(line: int | None, title: str) -> RawConfigError:
    """Text that is no config."""
    place = f"Line {line}: " if line else ""
    return RawConfigError(line, None, "invalid-config", place + title)


def layer_faults(
    entry: Entry, height: float, build_height: float, nozzle: float
) -> Iterable[RawConfigError]:
    """Layers so thin that slicing them would not end, or thicker than the nozzle is wide.

    height, build_height, nozzle : mm
    """
    if not height >= THINNEST_LAYER:
        yield invalid(entry, f"a layer must be at least {THINNEST_LAYER:g} mm high.")
    elif build_height / height > MAX_LAYERS:
        yield invalid(
            entry,
            f"layers of {height:g} mm in a build volume of {build_height:g} mm are more than "
            f"{MAX_LAYERS}: choose thicker ones.",
        )
    elif height > nozzle + SAME_HEIGHT:
        yield invalid(entry, above_nozzle(height, nozzle))


def above_nozzle(height: float, nozzle: float) -> str:
    """Return why layers of this height, in mm, cannot be printed with a nozzle."""
    return (
        f"layers of {height:g} mm are higher than the nozzle's diameter of {nozzle:g} mm: choose "
        "thinner layers or a wider nozzle."
    )


def _place(entry: Entry) -> str:
    return f"Line {entry.line}, {entry.key}: " if entry.line else f"{entry.key}: "
