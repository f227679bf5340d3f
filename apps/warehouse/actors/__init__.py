"""Jobs of the model warehouse."""

from apps.warehouse.actors import (
    analysis,
    printability,
    renditions,
    retention,
    snapshots,
    transformations,
)

__all__ = ["snapshots", "printability", "renditions", "retention", "transformations", "analysis"]
