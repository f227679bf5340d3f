"""The conformance test: a provider that does well, and ones that do not."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO

import pytest
import requests
from django.core.management import CommandError, call_command

from apps.integrations.conformance import checks
from core.outbound.webhook_signatures import is_signed, signed_headers

pytestmark = pytest.mark.slow

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
RESULT = {"status": "complete", "result": {"type": "stl"}}


@contextmanager
def serve(take: Callable[[dict, bytes, dict], int]) -> Iterator[str]:
    """A provider that answers with `take(headers, body, jobs that it has done)`."""
    done: dict = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = take(self.headers, body, done)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def report(job: dict, **content) -> None:
    body = json.dumps(content).encode()
    headers = signed_headers(SECRET, id="1", payload=body)
    requests.post(job["callback"]["url"], data=body, headers=headers)


def work(job: dict) -> None:
    content = requests.get(job["inputs"]["content"])
    if content.ok:
        headers = {"Content-Type": "application/octet-stream"}
        requests.put(job["upload"]["url"], data=content.content[:1000], headers=headers)
        report(job, **RESULT)


def good(headers, body: bytes, done: dict) -> int:
    if not is_signed(SECRET, headers, body):
        return 401
    job = json.loads(body)
    if "upload" not in job or "wall" in job["parameters"]:
        return 422
    if job["operation"] not in done:
        done[job["operation"]] = threading.Thread(target=work, args=(job,))
        done[job["operation"]].start()
    return 202


def trusting(headers, body: bytes, done: dict) -> int:
    """Checks no signature, begins each repeat anew, and names no result."""
    job = json.loads(body)
    if "callback" in job:
        threading.Thread(target=lambda: report(job, status="complete", result=5)).start()
    return 202


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(checks, "BIG", 2_000_000)


def run(url: str, **options) -> list[str]:
    said = StringIO()
    try:
        call_command(
            "check_provider", url, stdout=said, **{"secret": SECRET, "timeout": 3, **options}
        )
    except CommandError as error:
        said.write(str(error))
    return said.getvalue().splitlines()


def test_conforming_provider_passes_every_check():
    with serve(good) as url:
        lines = run(url, invalid_parameters='{"wall": -1}')

    assert [line[:6] for line in lines] == ["ok    "] * len(checks.CHECKS)


def test_provider_without_signature_check_fails_conformance():
    with serve(trusting) as url:
        lines = run(url, timeout=1)

    assert [line[:6].strip() for line in lines[:3]] == ["FAILED"] * 3
    assert "has a result, and no file was uploaded" in lines[0]
    assert lines[-1].endswith("see docs/providers.md.")


def test_unreachable_provider_fails_conformance_without_crash():
    lines = run("http://127.0.0.1:9/", method="PUT")

    assert "no answer in time" in lines[0]
    assert lines[0].startswith("FAILED")
