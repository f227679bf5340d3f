"""An account, servers that receive callbacks, and real sender processes."""

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import F

from apps.callbacks.models import Delivery, Origin
from core.outbound import http
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
URI = "http://models.platform.test/model/0195b3a0-0000-7000-8000-000000000001/"


def uri_of(name):
    """The URI of another model."""
    return f"http://models.platform.test/model/{name}/"


def skip_interval():
    """As if an interval had passed: what waits for a repeat is due."""
    interval = timedelta(seconds=settings.CALLBACK_INTERVAL)
    Delivery.objects.filter(state="pending").update(next_at=F("next_at") - interval)
    Origin.objects.exclude(probe_at=None).update(probe_at=F("probe_at") - interval)


@dataclass
class Heard:
    """What a receiver was sent, and how it answers: `answer(request)` is a status."""

    port: int = 0
    answer: object = lambda request: 200
    location: str = ""  # where its answers redirect to
    requests: list = field(default_factory=list)
    most_at_once: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook"

    def column(self, header):
        return [request.headers[header] for request in self.requests]

    def wait_for(self, count):
        """How many requests have come, once there are so many."""
        return wait_for(lambda: (come := len(self.requests)) >= count and come)

    def answer_together(self, count):
        """Answer none before so many are here at once, and leave another one time to come."""

        def answer(request):
            wait_for(lambda: self.most_at_once >= count, http.TOTAL_TIMEOUT)
            time.sleep(0.1)
            return 200

        self.answer = answer


@dataclass
class Request:
    method: str
    target: str
    headers: dict
    body: bytes
    at: float
    port: int  # of the sender's connection


@contextmanager
def receive(port=0, answer=None, host="127.0.0.1"):
    """A server that keeps what it is sent."""
    heard = Heard()
    if answer:
        heard.answer = answer

    class Handler(BaseHTTPRequestHandler):
        def take(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = Request(
                *(self.command, self.path, self.headers, body),
                *(time.monotonic(), self.client_address[1]),
            )
            with heard.lock:
                heard.at_once += 1
                heard.most_at_once = max(heard.most_at_once, heard.at_once)
                heard.requests.append(request)
            status = heard.answer(request)
            with heard.lock:
                heard.at_once -= 1
            try:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                if heard.location:
                    self.send_header("Location", heard.location)
                self.end_headers()
            except OSError:
                pass  # the sender was killed

        do_GET = do_POST = do_PUT = do_DELETE = take

        def log_message(self, *args):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False
        request_queue_size = 128

    with Server((host, port), Handler) as server:
        heard.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield heard
        finally:
            server.shutdown()


@pytest.fixture(autouse=True)
def _own_receivers(settings):
    settings.OUTBOUND_ALLOW = [ip_network("127.0.0.0/8")]
    settings.CALLBACK_INTERVAL = 30


@pytest.fixture
def owner(transactional_db):
    return get_user_model().objects.create(username="ada", name="Ada", email="ada@receiver.example")


@pytest.fixture
def received_callbacks():
    with receive() as heard:
        yield heard


@pytest.fixture
def start_sender(transactional_db):
    """Start real `manage.py send_callbacks` processes on the test database."""
    processes = []
    options = connection.get_connection_params()
    url = "postgresql:///{dbname}?host={host}&port={port}&user={user}".format(**options)

    def start(**environment):
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "send_callbacks"],
            env={**os.environ, "DATABASE_URL": url, "LOG_LEVEL": "WARNING", **environment},
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
