"""A provider that is a real server, the operations it is asked for, and what it reports."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import connection
from dramatiq import Message

from apps.integrations import interface
from apps.integrations.actors import request_provider
from apps.integrations.builtin import catalogue as offered
from core.files.pending_uploads import complete_upload
from core.files.signed_urls import verify_upload
from core.outbound.webhook_signatures import signed_headers
from geometry.formats.split import separate
from tests.callbacks.conftest import Heard, receive
from tests.geometry.formats import model_files as files
from tests.integrations.projects import PROJECT

OCTETS = "application/octet-stream"


@pytest.fixture
def provider() -> Iterator[Heard]:
    """A provider's server: what it was sent, and how it answers."""
    with receive() as heard:
        yield heard


@pytest.fixture
def integrations(client_of, person):
    return client_of("integrations", person)


@pytest.fixture
def catalogue(client_of, operator, provider) -> Callable[..., dict]:
    """`catalogue(name="Mender", ...)`: a service of the provider, as its POST answers."""

    def make(**fields) -> dict:
        body = {"name": "Mender", "type": "model-healing", "service_url": provider.url, **fields}
        answer = client_of("integrations", operator).post("/service/", body)
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return make


@pytest.fixture
def part(client_of, person, upload, run_jobs, cube) -> dict:
    """A judged cube."""
    model = client_of("models", person).post("/model/", {"name": "cube.stl"}).json()
    upload(model, cube)
    run_jobs()
    return model


@pytest.fixture
def order(integrations, part) -> Callable[..., str]:
    """`order(service)`: the URI of a new operation on the part."""

    def make(service: dict, parameters: dict | None = None, **fields) -> str:
        body = {"service": service["uri"], "inputs": {"model": part["uri"]}, **fields}
        answer = integrations.post("/operation/", {**body, "parameters": parameters or {}})
        assert answer.status_code == 204, answer.json()
        return answer["Location"]

    return make


class Answering:
    """What a provider does with the job that it was sent last."""

    def __init__(self, service: dict, provider: Heard, client, folder: Path):
        self.service, self.provider, self.client, self.folder = service, provider, client, folder

    @property
    def job(self) -> dict:
        return json.loads(self.provider.requests[-1].body)

    def report(self, *, secret: str | None = None, url: str | None = None, **content):
        """Report to the operation's location, signed; the platform's answer."""
        url = url or self.job["callback"]["url"]
        body = json.dumps(content).encode()
        headers = signed_headers(secret or self.service["secret"], id="1", payload=body)
        return self.client.generic(
            "POST", url, body, content_type="application/json", headers=headers
        )

    def upload(self, data: bytes) -> None:
        """What the files host does with an upload."""
        location = urlsplit(self.job["upload"]["url"])
        grant = verify_upload(location.path, location.query, OCTETS)
        path = self.folder / "result"
        path.write_bytes(data)
        complete_upload(grant, path, hashlib.sha256(data).hexdigest(), len(data))


@pytest.fixture
def answering(provider, client_of, tmp_path, db) -> Callable[[dict], Answering]:
    """`answering(service)`: the provider of a service, which says what the test wants."""
    return lambda service: Answering(service, provider, client_of("integrations"), tmp_path)


@pytest.fixture
def poll_providers(db) -> Callable[[], None]:
    """`ask()`: the next request that is planned, without waiting for its time."""

    def run() -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM dramatiq.queue WHERE message_id = (SELECT message_id"
                " FROM dramatiq.queue WHERE message->>'actor_name' = 'request_provider'"
                " ORDER BY position LIMIT 1) RETURNING message::text"
            )
            (text,) = cursor.fetchone()
        request_provider.fn(*Message.decode(text.encode()).args)

    return run


@pytest.fixture
def models(client_of, person):
    return client_of("models", person)


@pytest.fixture
def converter(provider, settings, answering, db):
    """The built-in provider's desk: what it is asked, and the kernel's work handed in."""
    settings.PROVIDERS_URL = provider.url.rstrip("/")
    interface.register_builtin()
    (offer,) = [offer for offer in offered.offers() if offer.type == "file-conversion"]
    return answering({"secret": offer.secret})


@pytest.fixture
def split_file(converter, tmp_path, run_jobs):
    """`take_apart(content)`: what the provider does with the job that it was sent last."""

    def run(content: bytes) -> None:
        job = converter.job
        path, out = files.save(tmp_path / "in", content), tmp_path / "out"
        receipt = separate(path, str(out), source=job["inputs"]["type"])
        converter.upload(out.read_bytes())
        answer = converter.report(
            status="complete", outputs={"receipt": receipt}, result={"name": "x", "type": "zip"}
        )
        assert answer.status_code == 204, answer.json()
        run_jobs()

    return run


@pytest.fixture
def project(models, upload, run_jobs, converter):
    """A 3MF of two objects that was uploaded: its URI."""
    model = models.post("/model/", {"name": "box.3mf", "type": "3mf"}).json()
    upload(model, PROJECT)
    run_jobs()
    return model["uri"]
