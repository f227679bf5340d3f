"""Shape metrics per mesh, computed once."""

from apps.erp.orders.models.prices import ShapeNumbers
from apps.warehouse import interface as warehouse
from geometry.printability import overhang_share as measure_overhang
from geometry.shape_metrics import shape_numbers


def numbers_of(sha256: str | None) -> ShapeNumbers:
    """The numbers of the mesh with this hash."""
    if sha256 is None:
        raise ValueError("The model has no mesh.")
    known = ShapeNumbers.objects.filter(pk=sha256).first()
    if known is not None:
        return known
    with warehouse.stl_file(sha256) as path:
        found = shape_numbers(path)
    row, _ = ShapeNumbers.objects.get_or_create(pk=sha256, defaults=found._asdict())
    return row


def overhang_share(sha256: str) -> float:
    """The share of the surface that hangs over, of the mesh with this hash as it stands."""
    row = numbers_of(sha256)
    if row.overhang is None:
        with warehouse.stl_file(sha256) as path:
            row.overhang = measure_overhang(path)
        row.save(update_fields=["overhang"])
    return row.overhang
