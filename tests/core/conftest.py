"""Upload locations of a model."""

import pytest


@pytest.fixture
def models(client_of, person):
    return client_of("models", person)


@pytest.fixture
def created(files_host, models):
    return models.post("/model/", {"name": "a"})


@pytest.fixture
def location(created) -> str:
    return created["X-Upload-Location"]
