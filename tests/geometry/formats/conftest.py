"""Files taken apart."""

import json
import zipfile

import pytest

from geometry.formats.convert import convert
from geometry.formats.split import separate
from geometry.formats.stl import read_triangles
from input_errors import InputError
from tests.geometry.formats import model_files as files


@pytest.fixture
def taken(tmp_path):
    """Takes a file apart: the receipt, what is told of each part, and its volume as written.

    The same file converted as one holds the same parts.
    """

    def run(content, source="3mf", **options):
        path = files.save(tmp_path / "source", content)
        out = tmp_path / "out.zip"
        receipt = separate(path, str(out), source=source, **options)
        volume = 0.0
        with zipfile.ZipFile(out) as archive:
            told = json.loads(archive.read("parts.json"))
            for part in told:
                archive.extract(part["entry"], tmp_path)
                part["written"] = files.volume(read_triangles(tmp_path / part["entry"]))
                volume += part["written"] * len(part["instances"])
        if source == "3mf":
            convert(path, str(tmp_path / "merged.stl"), source=source, **options)
            merged = files.volume(read_triangles(tmp_path / "merged.stl"))
            assert merged == pytest.approx(volume, rel=1e-4), "the merged file holds other parts"
        return receipt, told

    return run


@pytest.fixture
def rejection_of(tmp_path):
    """The code and the sentence that a file is refused with."""

    def run(content, source="3mf"):
        with pytest.raises(InputError) as rejection:
            separate(files.save(tmp_path / "source", content), str(tmp_path / "out"), source=source)
        assert not (tmp_path / "out").exists()
        return rejection.value.code, rejection.value.title

    return run
