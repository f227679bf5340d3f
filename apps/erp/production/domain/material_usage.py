"""Material and time of a print: expected by G-code, used when it ends."""

from typing import Annotated, Any, Literal, TypedDict

from django.utils import timezone

from apps.erp.base.model_fields import THOUSANDTHS
from apps.erp.inventory.domain.material_amounts import Need, amount_of
from apps.erp.inventory.models.lots import Stock
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.domain.material_needs import needs_of
from apps.erp.production.models.attempts import Attempt
from machines.states import AttemptState

DECIMALS = 3  # of cm3


class UsedAnswer(TypedDict):
    """What a print took."""

    volume: Annotated[float, "Volume, cm3."]
    mass: Annotated[float | None, "Mass, g; null if the density of a material is unknown."]
    source: Annotated[
        Literal["machine", "gcode", "model"],
        "Source of the usage: the machine; its G-code, by progress; or, without G-code, the "
        "volumes of the parts.",
    ]


def expect(attempt: Attempt) -> dict[str, Any]:
    """What an attempt that may start now will take: columns of it, which no new slice changes."""
    needs = needs_of(attempt.run)
    kept = {
        "of": [[str(need.material.pk) if need.material else None, need.cc] for need in needs.of],
        "source": needs.source,
        "filament_mm": needs.filament_mm,
    }
    return {"needs": kept, "estimated_seconds": needs.seconds}


def needs_kept(attempt: Attempt) -> list[Need]:
    """What an attempt that was allowed to start takes in all."""
    rows = attempt.needs.get("of", [])
    materials = Material.objects.in_bulk([key for key, _ in rows if key])
    by_key = {str(key): material for key, material in materials.items()}
    return [Need(by_key.get(key), cc) for key, cc in rows]


def part_printed(attempt: Attempt) -> tuple[float, bool] | None:
    """Return the printed part, 0..1, and whether the machine counted it.

    By the reported progress, else by the time it took of the estimated time. None where neither is
    known.
    """
    length = attempt.needs.get("filament_mm")
    if attempt.filament_mm is not None and length:
        return attempt.filament_mm / length, True
    if attempt.state is AttemptState.DONE:
        return 1.0, False
    if attempt.progress is not None:
        return min(max(attempt.progress, 0.0), 1.0), False
    seconds = attempt.seconds_printed(timezone.now())
    if attempt.estimated_seconds and seconds is not None:
        expected = attempt.estimated_seconds * attempt.printer.printer_type.time_factor
        return min(seconds / expected, 1.0), False
    return None


def used_by(attempt: Attempt) -> UsedAnswer | None:
    """Return what an ended print used; None where its needs or its progress are unknown."""
    needs, printed = needs_kept(attempt), part_printed(attempt)
    if not needs or printed is None:
        return None
    part, counted = printed
    masses = [amount_of(need, Stock.Unit.GRAM, part) for need in needs]
    return {
        "volume": round(sum(need.cc for need in needs) * part, DECIMALS),
        "mass": None if None in masses else sum(filter(None, masses)) / THOUSANDTHS,
        "source": "machine" if counted else attempt.needs["source"],
    }
