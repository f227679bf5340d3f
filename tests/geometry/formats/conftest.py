"""Files taken apart."""

import json
import zipfile

import pytest

from geometry.formats.separate import separate
from geometry.formats.stl import read_triangles
from tests.geometry.formats import model_files as files


@pytest.fixture
def taken(tmp_path):
    """Takes a file apart: the receipt, what is told of each part, and its volume as written."""

    def run(content, source="3mf", **options):
        path = files.save(tmp_path / "source", content)
        out = tmp_path / "out.zip"
        receipt = separate(path, str(out), source=source, **options)
        with zipfile.ZipFile(out) as archive:
            told = json.loads(archive.read("parts.json"))
            for part in told:
                archive.extract(part["entry"], tmp_path)
                part["written"] = files.volume(read_triangles(tmp_path / part["entry"]))
        return receipt, told

    return run
