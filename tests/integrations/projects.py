"""A 3MF of two objects, one of them placed twice."""

import io
import zipfile

from tests.geometry.formats import model_files as files

OBJECTS = files.object_xml().replace('id="1"', 'id="1" name="Lid"') + files.object_xml().replace(
    'id="1"', 'id="2" name="Pin"'
)
ITEMS = '<item objectid="2"/><item objectid="1"/><item objectid="2"/>'
PROJECT = files.threemf(files.model_xml(OBJECTS, ITEMS))


def with_settings(text: str) -> bytes:
    """The project with settings of PrusaSlicer, which its model names as its program."""
    program = '<metadata name="Application">PrusaSlicer-2.7.4</metadata>'
    model = files.model_xml(OBJECTS, ITEMS).replace("<resources>", f"{program}<resources>")
    packed = io.BytesIO(files.threemf(model))
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("Metadata/Slic3r_PE.config", text)
    return packed.getvalue()
