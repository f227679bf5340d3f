"""A made-up machine of Cura: Nova, with nozzles, materials, qualities and an intent."""

import json
import shutil
from pathlib import Path

import pytest

from apps.slicing.domain.installed_engines import curaengine
from apps.slicing.engines.curaengine import CuraEngine

NOVA = {
    "inherits": "fdmprinter",
    "name": "Nova",
    "metadata": {
        "visible": True,
        "manufacturer": "Nova & Sons",
        "has_machine_quality": True,
        "has_variants": True,
        "has_materials": True,
        "quality_definition": "nova",
        "preferred_variant_name": "0.4 mm",
        "preferred_material": "generic_pla",
        "preferred_quality_type": "fine",
        "exclude_materials": ["odd_175"],
        "machine_extruder_trains": {"0": "nova_extruder"},
    },
    "overrides": {
        "machine_name": {"default_value": "Nova"},
        "machine_width": {"default_value": 150},
        "machine_depth": {"default_value": 140},
        "machine_height": {"value": "130"},
        "speed_print": {"value": "30"},
        "wall_line_count": {"default_value": 7},
        "machine_buildplate_type": {"value": "glass"},
        "machine_end_gcode": {"value": "'M104 S0' + ('\\nM140 S0' if machine_heated_bed else '')"},
        "machine_heated_bed": {"default_value": True},
    },
}
EXTRUDER = {
    "inherits": "fdmextruder",
    "metadata": {"machine": "nova"},
    "overrides": {"material_diameter": {"default_value": 1.75}},
}


def instance(kind: str, values: str = "", *, definition: str = "nova", name="", **about) -> str:
    rows = "\n".join(f"{key} = {value}" for key, value in {"type": kind, **about}.items())
    head = f"[general]\nversion = 4\nname = {name or kind}\ndefinition = {definition}\n"
    return f"{head}\n[metadata]\n{rows}\n\n[values]\n{values}\n"


def material(kind: str, settings: str, diameter: float = 1.75, guid: str = "1") -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fdmmaterial xmlns="http://www.ultimaker.com/material" xmlns:cura="http://www.ultimaker.com/cura">
<metadata><name><brand>Generic</brand><material>{kind}</material><color>Any</color></name>
<GUID>{guid}</GUID></metadata>
<properties><diameter>{diameter}</diameter></properties><settings>{settings}</settings>
</fdmmaterial>"""


PLA = """<setting key="print temperature">201</setting><setting key="no such setting">1</setting>
<cura:setting key="material_shrinkage_percentage">101</cura:setting>
<machine><machine_identifier product="Nova"/><setting key="heated bed temperature">61</setting>
<hotend id="0.8 mm"><setting key="print temperature">222</setting></hotend></machine>"""
UNFIT = """<machine><machine_identifier product="The Nova"/>
<hotend id="0.8 mm"><setting key="hardware compatible">no</setting></hotend></machine>"""
FILES = {
    "nova_0.4.inst.cfg": instance(
        "variant", "machine_nozzle_size = 0.4", name="0.4 mm", hardware_type="nozzle"
    ),
    "nova_0.8.inst.cfg": instance(
        "variant", "machine_nozzle_size = 0.8", name="0.8 mm", hardware_type="nozzle"
    ),
    "nova_glass.inst.cfg": instance("variant", name="Glass", hardware_type="buildplate"),
    "fine.inst.cfg": instance(
        "quality",
        "layer_height = 0.12\nwall_line_count = 5\nspeed_print = 44",
        name="Fine print",
        quality_type="fine",
        global_quality="True",
    ),
    "fine_pla.inst.cfg": instance(
        "quality",
        "speed_print = =round(layer_height * 0 + 45)\ncool_fan_speed = 90\nno_such = 1\n"
        "z_seam_corner = old\nretraction_enable =",
        quality_type="fine",
        material="generic_pla",
        variant="0.4 mm",
    ),
    "rough.inst.cfg": instance(
        "quality", "layer_height = 0.3", quality_type="rough", global_quality="True"
    ),
    "rough_0.8.inst.cfg": instance(
        "quality", quality_type="rough", material="generic_pla", variant="0.8 mm"
    ),
    "none.inst.cfg": instance(
        "quality", quality_type="not_supported", material="generic_pla", variant="0.4 mm"
    ),
    "strong.inst.cfg": instance(
        "intent",
        "wall_line_count = 9",
        intent_category="engineering",
        quality_type="fine",
        material="generic_pla_175",
        variant="0.4 mm",
    ),
    "damaged.inst.cfg": "[general]\ndefinition = nova\n[values]\n",
    "generic_pla.xml.fdm_material": material("PLA", PLA, 2.85),
    "generic_pla_175.xml.fdm_material": material("PLA", PLA),
    "petg_175.xml.fdm_material": material("PETG", UNFIT, guid="2"),
    "odd_175.xml.fdm_material": material("PLA", ""),
    "damaged_175.xml.fdm_material": "<fdmmaterial>",
    "product_to_id.json": json.dumps({"The Nova": "nova"}),
}


def install_nova(folder: Path, monkeypatch: pytest.MonkeyPatch) -> CuraEngine:
    """Return CuraEngine with the machine in place of the installed ones; skip without it."""
    engine = curaengine()
    if engine.version() is None:
        pytest.skip(engine.missing())
    place = folder / str(engine.program_version())
    for name in ("machines", "profiles"):
        (place / name).mkdir(parents=True)
    for path in (engine.definitions / place.name).glob("*.def.json"):
        shutil.copy(path, place)
    for name, content in {"nova": NOVA, "nova_extruder": EXTRUDER}.items():
        (place / "machines" / f"{name}.def.json").write_text(json.dumps({"version": 2, **content}))
    for name, text in FILES.items():
        (place / "profiles" / name).write_text(text)
    monkeypatch.setattr(engine, "definitions", folder)
    return engine
