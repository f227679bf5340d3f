"""Fake platform: serves a model, takes uploads and reports."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NotRequired, TypedDict
from uuid import uuid4

import orjson
import requests

from apps.integrations.domain import protocol
from core.outbound.webhook_signatures import is_signed, signed_headers

MAX_RESPONSE_SECONDS = 15  # seconds, as the platform waits
CHUNK = 1 << 20


class Report(TypedDict):
    """A provider's report of an operation, with the fields used here."""

    status: str
    outputs: NotRequired[Mapping[str, object] | None]


@dataclass
class Order:
    """An operation sent to a provider, and its reports."""

    job: protocol.Job
    fetched: int = 0
    uploaded: int = 0
    reports: list[Report] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    answer: int | None = None

    @property
    def finals(self) -> list[Report]:
        """The reports that say that it is over."""
        return [report for report in self.reports if report["status"] in ("complete", "error")]


class FakePlatform:
    """Serves at `base`; its paths name the operation: /<what>/<key>.

    content : the model's file
    """

    def __init__(self, url: str, method: str, secret: str, *, content: bytes, name: str, type: str):
        self.url, self.method, self.secret = url, method, secret
        self.content, self.name, self.type = content, name, type
        self.base = ""
        self.orders: dict[str, Order] = {}

    def order(
        self, parameters: Mapping[str, object], *, reachable: bool = True, large: int = 0
    ) -> Order:
        """A new order that has not been sent; `large` bytes of padding follow the model's file."""
        key = str(uuid4())
        content = f"{self.base}/content/{key}" if reachable else f"{self.base}/nothing/{key}"
        job = protocol.job(
            operation=f"{self.base}/operation/{key}/",
            model=f"{self.base}/model/{key}/",
            content=f"{content}?size={len(self.content) + large}",
            name=self.name,
            type=self.type,
            parameters=parameters,
            report=f"{self.base}/report/{key}?signature=test",
            upload=f"{self.base}/upload/{key}?signature=test",
        )
        self.orders[key] = Order(job)
        return self.orders[key]

    def send(self, order: Order, *, secret: str | None = None) -> int | None:
        """Ask the provider as the platform does; the status of its answer, None without one."""
        body = orjson.dumps(order.job)
        id = order.job["operation"].split("/")[-2]
        headers = signed_headers(secret or self.secret, id=id, payload=body)
        headers |= {"Content-Type": "application/json", "User-Agent": protocol.USER_AGENT}
        try:
            order.answer = requests.request(
                self.method,
                self.url,
                data=body,
                headers=headers,
                timeout=MAX_RESPONSE_SECONDS,
                allow_redirects=False,
            ).status_code
        except requests.RequestException:
            order.answer = None
        return order.answer

    def wait(self, order: Order, seconds: float) -> bool:
        """Whether the provider made a final report in time."""
        deadline = time.monotonic() + seconds
        while not order.finals and time.monotonic() < deadline:
            time.sleep(0.05)
        return bool(order.finals)

    def take_report(self, key: str, headers: Any, body: bytes) -> int:
        """A report; the status that it is answered with, as the platform would."""
        order = self.orders[key]
        if not is_signed(self.secret, headers, body):
            order.faults.append("a report was not signed with the service's secret")
            return 403
        try:
            report = orjson.loads(body)
        except orjson.JSONDecodeError:
            report = None
        fault = fault_of(report, uploaded=order.uploaded > 0)
        if fault:
            order.faults.append(fault)
            return 400
        if order.finals:
            return 409
        order.reports.append(report)
        return 204

    @contextmanager
    def serving(self, host: str, port: int, public: str) -> Iterator[None]:
        """Listen; `public` is how the provider reaches it, host and port, empty for the same."""
        with ThreadingHTTPServer((host, port), _handler(self)) as server:
            server.daemon_threads = True
            self.base = f"http://{public or f'{host}:{server.server_address[1]}'}"
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield
            finally:
                server.shutdown()


def fault_of(report: Any, *, uploaded: bool) -> str:
    """Return the fault of a report in a few words; empty where it is valid."""
    if not isinstance(report, dict):
        return "a report is not a JSON object"
    status, outputs, result = (report.get(name) for name in ("status", "outputs", "result"))
    if status not in ("processing", "complete", "error"):
        return f"a report has the status {str(status)[:40]!r}"
    if unknown := sorted(set(report) - {"status", "outputs", "result", "operation"}):
        return f"a report has the unknown member {unknown[0]!r}"
    if status == "error":
        said = outputs if isinstance(outputs, dict) else {}
        if not all(isinstance(said.get(name), str) for name in ("title", "code")):
            return "an error has no title and code in its outputs"
    if status == "complete":
        if result is None and uploaded:
            return "a file was uploaded, and the report has no result"
        if result is not None and not uploaded:
            return "the report has a result, and no file was uploaded"
        if result is not None and not isinstance(result.get("type"), str):
            return "the result has no type"
    return ""


def _handler(stand: FakePlatform) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            what, order = self._asked()
            if what != "content" or order is None:
                return self._answer(404)
            size = int(self.path.rpartition("size=")[2])
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            try:
                self.wfile.write(stand.content)
                for start in range(len(stand.content), size, CHUNK):
                    self.wfile.write(bytes(min(CHUNK, size - start)))
            except OSError:
                return None  # it wants no more
            order.fetched += 1
            return None

        def do_PUT(self) -> None:
            what, order = self._asked()
            left = size = int(self.headers.get("Content-Length", 0))
            while left:
                left -= len(self.rfile.read(min(CHUNK, left))) or left
            if what != "upload" or order is None:
                return self._answer(404)
            if self.headers.get("Content-Type") != "application/octet-stream":
                order.faults.append("the upload's Content-Type is not application/octet-stream")
                return self._answer(403)
            order.uploaded += size
            return self._answer(204)

        def do_POST(self) -> None:
            what, order = self._asked()
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if what != "report" or order is None:
                return self._answer(404)
            return self._answer(stand.take_report(self._key(), self.headers, body))

        def log_message(self, *arguments: Any) -> None:
            """Suppress the log: the table of results contains it."""

        def _asked(self) -> tuple[str, Order | None]:
            return self.path.split("/")[1], stand.orders.get(self._key())

        def _key(self) -> str:
            return self.path.partition("?")[0].rpartition("/")[2]

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    return Handler
