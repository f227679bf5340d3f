"""Clients of the search, and models that are uploaded and judged."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.search.shapes import stl


@pytest.fixture
def search(client_of, person):
    return client_of("search", person)


@pytest.fixture
def store(client_of, person, upload, work) -> Callable[..., str]:
    """`store(triangles)`: the URI of a model that was uploaded, judged and described."""

    def make(part: Any, owner: Any = None, name: str = "part") -> str:
        model = client_of("models", owner or person).post("/model/", {"name": name}).json()
        upload(model, part if isinstance(part, bytes) else stl(part))
        work()
        return model["uri"]

    return make


@pytest.fixture
def index(client_of, person) -> Callable[..., str]:
    """`index(uri)`: have a model indexed; where that is."""

    def post(uri: str, owner: Any = None, name: str = "n", description: str = "d") -> str:
        answer = client_of("search", owner or person).post(
            "/indexed-model/", {"name": name, "description": description, "model_uri": uri}
        )
        assert (answer.status_code, answer.content) == (204, b""), answer.content
        return answer["Location"]

    return post


@pytest.fixture
def similar(client_of, person) -> Callable[..., dict]:
    """`similar(uri, tolerance="1")`: the one result object of a search."""

    def get(uri: str, user: Any = None, **filters: str) -> dict:
        asked = {f"filter[{name}]": value for name, value in {"model": uri, **filters}.items()}
        answer = client_of("search", user or person).get("/similar-models/", asked)
        assert answer.status_code == 200, answer.content
        (found,) = answer.json()["resources"]
        return found

    return get
