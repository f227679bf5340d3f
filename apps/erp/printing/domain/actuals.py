"""Actual against estimated print time; yield per material."""

from statistics import median
from typing import NamedTuple

from django.db.models import Count, F, Q

from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Place, Run
from machines.states import AttemptState

LOOKED_BACK = 20  # prints


class Parts(NamedTuple):
    """Of the parts that were printed of a material, how many are good."""

    material: Material | None
    good: int
    printed: int


class Actuals(NamedTuple):
    """The last prints that were estimated and done, the newest first; and parts by material."""

    prints: list[Attempt]
    parts: list[Parts]

    @property
    def time_factor(self) -> float | None:
        """How many times as long as the slicer said they took: the middle one of them."""
        factors = [attempt.factor for attempt in self.prints]  # type: ignore[attr-defined]
        return median(factors) if factors else None


def actuals_of(printer_type: PrinterType) -> Actuals:
    """What prints on printers of a type came to."""
    done = Attempt.objects.filter(
        printer__printer_type=printer_type,
        status=AttemptState.DONE.value,
        estimated_seconds__gt=0,
        printing_seconds__gt=0,
    ).annotate(factor=F("printing_seconds") / F("estimated_seconds"))
    return Actuals(list(done.order_by("-ended", "-pk")[:LOOKED_BACK]), _parts(printer_type))


def _parts(printer_type: PrinterType) -> list[Parts]:
    places = Place.objects.filter(
        run__printer_type=printer_type,
        run__operation=Run.Operation.PRINTING,
        run__status__in=Run.ENDED,
        run__started__isnull=False,
    )
    # What went wrong later lies in a later run.
    bad = Q(piece__status="error", piece__place=F("pk"))
    rows = places.values("piece__line_item__base_material").order_by(
        "piece__line_item__base_material"
    )
    counted = rows.annotate(printed=Count("pk"), bad=Count("pk", filter=bad))
    found = list(counted.values_list("piece__line_item__base_material", "printed", "bad"))
    materials = Material.objects.in_bulk([key for key, _, _ in found if key])
    return [Parts(materials.get(key), printed - bad, printed) for key, printed, bad in found]
