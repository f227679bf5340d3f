"""Clients of the search, models that are uploaded and judged, and another server's models."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import dramatiq
import pytest
from django.db import connection

from tests.search.shapes import stl


@pytest.fixture
def search(client_of, person):
    return client_of("search", person)


@pytest.fixture
def store(client_of, person, upload) -> Callable[..., str]:
    """`store(triangles)`: the URI of a model that was uploaded, judged and described.

    Its picture is not drawn, which would take longer than all the rest.
    """

    def make(part: Any, owner: Any = None, *, described: bool = True) -> str:
        model = client_of("models", owner or person).post("/model/", {"name": "part"}).json()
        upload(model, part if isinstance(part, bytes) else stl(part))
        actor = dramatiq.get_broker().get_actor
        actor("analyse_model").fn(model["uri"].split("/")[-2])
        if described:
            actor("describe_model").fn(model["uri"])
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM dramatiq.queue")
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


class Elsewhere:
    """Another server: `answers[path]` is a status and a body; what was asked is in `asked`."""

    def __init__(self, port: int):
        self.url = f"http://127.0.0.1:{port}"
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.asked: list[str] = []

    def model(self, content: Any, path: str = "/model/1/", status: int = 200) -> str:
        """Have a model there whose content is this; its URI."""
        if isinstance(content, bytes):
            self.answers[f"{path}content"] = (200, content)
            content = f"{self.url}{path}content"
        self.answers[path] = (status, json.dumps({"name": "theirs", "content": content}).encode())
        return self.url + path


@pytest.fixture
def other_server() -> Iterator[Elsewhere]:
    """A real server on 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            there.asked.append(self.path)
            status, body = there.answers.get(self.path, (404, b""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if 300 <= status < 400:
                self.send_header("Location", there.url)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        there = Elsewhere(server.server_address[1])
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield there
        finally:
            server.shutdown()
