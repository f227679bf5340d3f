"""The warehouse's background work."""

from apps.warehouse.actors import (
    analysis,
    printability,
    renditions,
    retention,
    snapshots,
    transformations,
)

__all__ = ["snapshots", "printability", "renditions", "retention", "transformations", "analysis"]
