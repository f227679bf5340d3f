"""A 3MF of two objects, one of them placed twice."""

from tests.geometry.formats import model_files as files

OBJECTS = files.object_xml().replace('id="1"', 'id="1" name="Lid"') + files.object_xml().replace(
    'id="1"', 'id="2" name="Pin"'
)
ITEMS = '<item objectid="2"/><item objectid="1"/><item objectid="2"/>'
PROJECT = files.threemf(files.model_xml(OBJECTS, ITEMS))
