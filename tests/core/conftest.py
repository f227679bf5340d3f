"""Upload locations of a model."""

from pathlib import Path

import pytest

from core.files.storage.s3 import S3Backend
from tests.core.memory_bucket import in_memory


@pytest.fixture
def models(client_of, person):
    return client_of("models", person)


@pytest.fixture
def created(files_host, models):
    return models.post("/model/", {"name": "a"})


@pytest.fixture
def location(created) -> str:
    return created["X-Upload-Location"]


@pytest.fixture
def bucket(monkeypatch, settings, tmp_path: Path) -> S3Backend:
    """A bucket where the platform keeps its files."""
    settings.DATA_DIR = tmp_path
    made = in_memory()
    monkeypatch.setattr("core.files.storage.current", lambda: made)
    return made
