"""Proposals of a printer's start and end G-code, of what its maker wrote for another slicer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from apps.slicing.configs.orca.templates import TranslatedTemplate, translate_template
from apps.slicing.configs.placeholders import FIELDS
from apps.slicing.configs.priming import excursions
from apps.slicing.configs.slic3r import outline_of
from apps.slicing.domain.catalogue import Preset, catalogue

RESET = "G92 E0"  # that relative extrusion needs once a layer
BAMBU_COMMAND = re.compile(r"^\s*M(62[0-9]|1002|97[0-9]|98[0-9])\b", re.MULTILINE)
HEATERS_OFF = re.compile(r"M104\s+S0\b|TURN_OFF_HEATERS|END", re.IGNORECASE)
MAX_BESIDE = 1.0  # mm beside the bed without a warning

NO_GCODE = (
    "The catalogue has no start and end G-code of this printer. Copy them from the printer's "
    "settings in OrcaSlicer or Bambu Studio, and have them translated."
)
BAMBU = (
    "Commands such as M620, M622 and M1002 are the maker's own: only the firmware of Bambu Lab's "
    "printers understands them. They are kept as they are."
)
ONE_FILAMENT = "G-code of filament changes is left out: a print has one filament here."
HOT = "No line of the end G-code switches the nozzle's heater off, such as M104 S0."


@dataclass(frozen=True)
class GcodeProposal:
    """The G-code of a printer with PrusaSlicer's placeholders.

    gcodes   : by field: start_gcode, before_layer_gcode, layer_gcode, end_gcode
    warnings : what a person should look at before the first print
    """

    printer: Preset
    gcodes: Mapping[str, TranslatedTemplate]
    warnings: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether there is start and end G-code, and every placeholder has a twin."""
        texts = self.gcodes["start_gcode"].text.strip(), self.gcodes["end_gcode"].text.strip()
        return all(texts) and not any(each.unresolved for each in self.gcodes.values())


def gcode_proposal(printer: Preset, texts: Mapping[str, str] | None = None) -> GcodeProposal:
    """Return the proposal for a printer's preset.

    texts : G-code with the placeholders of OrcaSlicer or Bambu Studio, by field; None: the preset's
    """
    capabilities = catalogue().known
    templates = printer.source.gcode_templates(printer.name)
    sources = templates.gcodes if texts is None else texts
    gcodes = {
        field: translate_template(sources.get(field, ""), field, capabilities, templates.profile)
        for field in FIELDS
    }
    settings = printer.source.flat(printer.kind, printer.name)
    gcodes["layer_gcode"] = _with_reset(gcodes, settings)
    return GcodeProposal(printer, gcodes, tuple(_warnings(gcodes, settings)))


def _with_reset(
    gcodes: Mapping[str, TranslatedTemplate], settings: Mapping[str, str]
) -> TranslatedTemplate:
    """Return the G-code of layers, with the reset that relative extrusion needs."""
    layer = gcodes["layer_gcode"]
    lines = f"{gcodes['before_layer_gcode'].text}\n{layer.text}".splitlines()
    is_reset = any(line.strip().startswith(RESET) for line in lines)
    if is_reset or settings.get("use_relative_e_distances") != "1":
        return layer
    return layer._replace(text=f"{layer.text}\n{RESET}".lstrip("\n"))


def _warnings(gcodes: Mapping[str, TranslatedTemplate], settings: Mapping[str, str]) -> list[str]:
    start, end = gcodes["start_gcode"].text, gcodes["end_gcode"].text
    if not start.strip() or not end.strip():
        return [NO_GCODE]
    warnings = [ONE_FILAMENT]
    if BAMBU_COMMAND.search(start):
        warnings.append(BAMBU)
    if not HEATERS_OFF.search(end):
        warnings.append(HOT)
    for move in excursions(start, outline_of(settings)).values():
        if move.reach > MAX_BESIDE:
            warnings.append(f"The start G-code goes to {move.description} beside the bed.")
    return warnings
