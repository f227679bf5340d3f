"""Clients of the warehouse, and models that have been judged."""

from collections.abc import Callable

import pytest

from apps.warehouse.models import Model, Snapshot
from core.files import blobs
from geometry.analysis import analyse


@pytest.fixture
def models(client_of, person):
    """The owner's client."""
    return client_of("models", person)


@pytest.fixture
def others(client_of, stranger):
    """A stranger's client."""
    return client_of("models", stranger)


@pytest.fixture
def processed(models, person) -> Callable[..., dict]:
    """`processed(data)`: what is left of an upload when all work on it is done; no work is done."""

    def make(data: bytes, **fields) -> dict:
        with blobs.scratch_dir() as folder:
            path, canonical = folder / "content.stl", folder / "canonical.stl"
            path.write_bytes(data)
            found = analyse(path, canonical)._asdict()
            content, mesh, picture = (
                blobs.create_row(*blobs.store_file(file))
                for file in (path, canonical, _file(folder))
            )
        model = Model.objects.create(
            owner=person,
            name="part",
            status=Model.Status.PROCESSED,
            content_id=content,
            canonical_id=mesh,
            picture_id=picture,
            file_size=len(data),
            analyses=found,
            **fields,
        )
        Snapshot.objects.create(
            model=model, is_default=True, status="processed", view={}, content_id=picture
        )
        return models.get(model.uri).json()

    return make


def _file(folder):
    path = folder / "picture.png"
    path.write_bytes(b"a picture")
    return path


@pytest.fixture
def analysed_model(models, upload, run_jobs) -> Callable[..., dict]:
    """`judged(data)`: a model whose file was uploaded and judged by the real work."""

    def make(data: bytes, **fields) -> dict:
        model = models.post("/model/", {"name": "part", **fields}).json()
        upload(model, data)
        run_jobs()
        return models.get(model["uri"]).json()

    return make
