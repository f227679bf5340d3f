"""Sliced plate of Bambu Lab (.gcode.3mf): a ZIP archive with the G-code of one plate.

The platform hands out plain G-code, whose SHA-256 and temperatures the agent checks; the package
is made for the printer alone, behind these checks.
"""

import hashlib
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

PLATE = "Metadata/plate_1.gcode"
EDGE = 1 << 17  # bytes at the start and the end of a file, where slicers write settings
CHUNK = 1 << 16
_SETTING = re.compile(r"^; *(\w+) *[=:] *(.*?) *$", re.M).finditer
_COLOR = re.compile(r"#[0-9A-Fa-f]{6}").match

CONTENT_TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
 <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
 <Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
 <Default Extension="gcode" ContentType="text/x.gcode"/>
</Types>
"""
RELATIONSHIPS = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
 <Relationship Target="/3D/3dmodel.model" Id="rel-1" \
Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>
"""
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xml:lang="en-US" \
xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
 <resources/>
 <build/>
</model>
"""
MODEL_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<config>
  <plate>
    <metadata key="plater_id" value="1"/>
    <metadata key="gcode_file" value="Metadata/plate_1.gcode"/>
  </plate>
</config>
"""


class GcodeSettings(NamedTuple):
    """What the comments of a file say; empty where they do not.

    material : of its first filament, in upper case
    color    : of it, `#RRGGBB`
    printer  : model of the printer that it was sliced for
    """

    material: str = ""
    color: str = ""
    printer: str = ""


def read_settings(gcode: Path) -> GcodeSettings:
    """Return what the comments at the start and the end of a file say, as slicers write them."""
    size = gcode.stat().st_size
    with gcode.open("rb") as file:
        text = file.read(EDGE).decode("latin-1")
        file.seek(max(size - EDGE, 0))
        text += "\n" + file.read(EDGE).decode("latin-1")
    values = {match[1]: match[2][:200] for match in _SETTING(text.replace("\r", ""))}
    material, color = (
        values.get(name, "").split(";")[0].strip(' "')
        for name in ("filament_type", "filament_colour")
    )
    return GcodeSettings(
        material.upper()[:40],
        color.upper() if _COLOR(color) else "",
        values.get("printer_model", "").strip('"'),
    )


def write_package(gcode: Path, package: Path, settings: GcodeSettings) -> None:
    """Write a package with one plate, whose G-code is that of a file."""
    digest = hashlib.md5(usedforsecurity=False)
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES)
        archive.writestr("_rels/.rels", RELATIONSHIPS)
        archive.writestr("3D/3dmodel.model", MODEL)
        with archive.open(PLATE, "w", force_zip64=True) as plate:
            for chunk in _chunks(gcode):
                digest.update(chunk)
                plate.write(chunk)
        archive.writestr(f"{PLATE}.md5", digest.hexdigest().upper())
        archive.writestr("Metadata/model_settings.config", MODEL_SETTINGS)
        archive.writestr("Metadata/slice_info.config", _slice_info(settings))


def _slice_info(settings: GcodeSettings) -> str:
    material = quoteattr(settings.material or "PLA")
    color = quoteattr(settings.color or "#FFFFFF")
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<config>
  <header>
    <header_item key="X-BBL-Client-Type" value="slicer"/>
  </header>
  <plate>
    <metadata key="index" value="1"/>
    <filament id="1" type={material} color={color} used_m="0" used_g="0"/>
  </plate>
</config>
"""


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as content:
        while chunk := content.read(CHUNK):
            yield chunk
