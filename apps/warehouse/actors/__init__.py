"""The warehouse's background work."""

from apps.warehouse.actors import (
    pictures,
    printability,
    renditions,
    retention,
    transformations,
    verdicts,
)

__all__ = ["pictures", "printability", "renditions", "retention", "transformations", "verdicts"]
