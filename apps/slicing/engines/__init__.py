"""Registry of slicing engines."""

from pathlib import Path

from apps.slicing.engines.base import Bed, Engine
from apps.slicing.engines.curaengine import CuraEngine
from apps.slicing.engines.prusaslicer import PrusaSlicer


def engines(
    definitions: Path, bed: Bed | None = None, facts: Path | None = None
) -> dict[str, Engine]:
    """All engines, installed or not.

    definitions : the folder that bin/install-cura-definitions filled
    bed         : the build volume, 250 mm each way where not given
    facts       : the folder of what is known of each program, by its SHA-256
    """
    offered: list[Engine] = [PrusaSlicer(bed, facts), CuraEngine(definitions, bed, facts)]
    return {engine.identifier: engine for engine in offered}
