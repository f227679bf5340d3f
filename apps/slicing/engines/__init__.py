"""The slicing engines on offer, by the identifiers that clients use."""

from pathlib import Path

from apps.slicing.engines.base import Bed, Engine
from apps.slicing.engines.curaengine import CuraEngine
from apps.slicing.engines.prusaslicer import PrusaSlicer


def engines(definitions: Path, bed: Bed | None = None) -> dict[str, Engine]:
    """All engines, installed or not.

    definitions : the folder that bin/install-cura-definitions filled
    bed         : the build volume, 250 mm each way where not given
    """
    offered: list[Engine] = [PrusaSlicer(bed), CuraEngine(definitions, bed)]
    return {engine.identifier: engine for engine in offered}
