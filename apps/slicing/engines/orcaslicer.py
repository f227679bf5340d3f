"""OrcaSlicer and Bambu Studio in a shop: their own profiles, checked by PrusaSlicer's settings."""

from collections.abc import Mapping
from pathlib import Path

from apps.slicing.configs.orca.export import FILES, without_skirt
from apps.slicing.engines.prusaslicer import PrusaSlicer
from gcode import metadata


class OrcaSlicer(PrusaSlicer):
    """A slicer that gets profiles of its own; the bed and the limits are those of the translation.

    It is never run by the platform.
    """

    def __init__(self, local: PrusaSlicer, name: str, profiles: Mapping[str, str]):
        """Local: PrusaSlicer of this server; profiles: contents by file name."""
        super().__init__(local.bed(local.settings({})), local.facts)
        self.name = name
        self._profiles = profiles

    def write_config(self, settings: Mapping[str, str], folder: Path) -> None:
        files = dict(self._profiles)
        if settings.get("skirts") == "0":
            files[FILES["print"]] = without_skirt(files[FILES["print"]])
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")

    def stated_seconds(self, gcode: Path) -> float | None:
        return metadata(gcode).stated_seconds
