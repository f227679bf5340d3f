"""A server that behaves as Stripe's HTTP API does, as far as the platform uses it.

Bodies are form-encoded, keys are checked, an Idempotency-Key returns the first answer again and is
refused with other parameters. It has the page at which a customer pays, and signs webhooks.
"""

import hashlib
import hmac
import itertools
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

KEY = "sk_test_51OfTheTests"
SECRET = "whsec_OfTheTests0123456789"  # noqa: S105
PAGE = """<!doctype html><html lang="en"><head><title>Stripe</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"></head>
<body><main><h1>{title}</h1><p>{amount}</p>
<form method="post"><button>Pay</button></form><a href="{cancel_url}">Back</a></main></body>
</html>"""


@dataclass
class StripeServer:
    """The state of a Stripe account, and the server that has it.

    requests : method, path, fields and Idempotency-Key of each request with the right key
    fails    : whether every request is answered by 500
    deliver  : where events go, as (body, signature)
    """

    keys: list[str] = field(default_factory=lambda: [KEY])
    secret: str = SECRET
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    requests: list[tuple[str, str, dict[str, str], str | None]] = field(default_factory=list)
    fails: bool = False
    page_origin: str = ""
    deliver: Callable[[bytes, str], None] | None = None
    answers: dict[str, tuple[dict[str, str], int, dict[str, Any]]] = field(default_factory=dict)
    numbers: Any = field(default_factory=lambda: itertools.count(1))
    lock: Any = field(default_factory=threading.Lock)
    url: str = ""
    _server: ThreadingHTTPServer | None = None
    _thread: threading.Thread | None = None

    def start(self) -> "StripeServer":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.page_origin = self.page_origin or self.url
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def stop(self) -> None:
        assert self._server is not None
        assert self._thread is not None
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    # ------------------------------------------------------------ the account

    def answer(
        self, method: str, path: str, fields: dict[str, str], key: str, idempotency: str | None
    ) -> tuple[int, dict[str, Any]]:
        """The answer to a request of the API."""
        if key not in self.keys:
            return 401, _error("invalid_request_error", f"Invalid API Key provided: {key[:8]}***")
        with self.lock:
            self.requests.append((method, path, fields, idempotency))
            if self.fails:
                return 500, _error("api_error", "An error occurred.")
            if idempotency and idempotency in self.answers:
                before, status, body = self.answers[idempotency]
                if before != fields:
                    text = "Keys for idempotent requests can only be used with the same parameters."
                    return 400, _error("idempotency_error", text)
                return status, body
            status, body = self._act(method, path, fields)
            if idempotency:
                self.answers[idempotency] = (fields, status, body)
            return status, body

    def _act(self, method: str, path: str, fields: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if (method, path) == ("GET", "/v1/balance"):
            funds = [{"amount": 0, "currency": "eur", "source_types": {"card": 0}}]
            return 200, {"object": "balance", "available": funds, "pending": [], "livemode": False}
        if (method, path) == ("POST", "/v1/checkout/sessions"):
            return self._create(fields)
        id = path.split("/")[4] if path.startswith("/v1/checkout/sessions/") else ""
        session = self.sessions.get(id)
        if session is None:
            return 404, _error("invalid_request_error", "No such checkout.session")
        if method == "POST" and path.endswith("/expire"):
            if session["status"] != "open":
                return 400, _error("invalid_request_error", "The session is not open.")
            session |= {"status": "expired", "url": None}
        return 200, dict(session)

    def _create(self, fields: dict[str, str]) -> tuple[int, dict[str, Any]]:
        price = "line_items[0][price_data]"
        needed = ("mode", "success_url", f"{price}[currency]", f"{price}[unit_amount]")
        for name in needed:
            if not fields.get(name):
                return 400, _error("invalid_request_error", f"Missing required param: {name}.")
        if int(fields["expires_at"]) < time.time() + 1800:
            return 400, _error("invalid_request_error", "The expires_at must be 30 minutes later.")
        id = f"cs_test_{next(self.numbers)}"
        amount = int(fields[f"{price}[unit_amount]"]) * int(fields["line_items[0][quantity]"])
        self.sessions[id] = {
            "id": id,
            "object": "checkout.session",
            "url": f"{self.page_origin}/c/pay/{id}",
            "status": "open",
            "payment_status": "unpaid",
            "amount_total": amount,
            "currency": fields[f"{price}[currency]"],
            "client_reference_id": fields.get("client_reference_id"),
            "metadata": {"checkout": fields["metadata[checkout]"]},
            "payment_intent": None,
            "success_url": fields["success_url"],
            "cancel_url": fields["cancel_url"],
            "title": fields[f"{price}[product_data][name]"],
        }
        return 200, dict(self.sessions[id])

    # ------------------------------------------------------------ the customer

    def pay(self, id: str = "", *, status: str = "paid", **changes: object) -> dict[str, Any]:
        """A customer pays a session, by default the last one; the session as it is then."""
        session = self.sessions[id or list(self.sessions)[-1]]
        intent = session["payment_intent"] or f"pi_{next(self.numbers)}"
        session |= {"status": "complete", "payment_status": status, "url": None}
        session |= {"payment_intent": intent, **changes}
        return dict(session)

    def charge(self, session: dict[str, Any], refunded: int) -> dict[str, Any]:
        """The charge of a paid session of which so much was refunded, in all."""
        return {
            "id": f"ch_{session['payment_intent']}",
            "object": "charge",
            "amount": session["amount_total"],
            "amount_refunded": refunded,
            "currency": session["currency"],
            "payment_intent": session["payment_intent"],
            "metadata": session["metadata"],
        }

    def event(self, kind: str, thing: dict[str, Any], id: str = "") -> bytes:
        """The body of an event."""
        event = {"id": id or f"evt_{next(self.numbers)}", "object": "event", "type": kind}
        return json.dumps({**event, "livemode": False, "data": {"object": thing}}).encode()


def signature_of(body: bytes, secret: str = SECRET, *, age: float = 0) -> str:
    """The header Stripe-Signature of a body that was signed `age` seconds ago."""
    stamp = int(time.time() - age)
    digest = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={stamp},v1={digest}"


def _error(kind: str, text: str) -> dict[str, Any]:
    return {"error": {"type": kind, "message": text}}


def _handler_of(stripe: StripeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802
            path = urlsplit(self.path).path
            if path.startswith("/v1/"):
                self._api("GET", path, {})
            elif session := stripe.sessions.get(path.rpartition("/")[2]):
                self._send(200, PAGE.format(amount=session["amount_total"], **_texts(session)))
            else:
                self._send(404, "")

        def do_POST(self) -> None:  # noqa: N802
            path = urlsplit(self.path).path
            body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            if not path.startswith("/v1/"):
                self._pay(path.rpartition("/")[2])
                return
            fields = {name: values[0] for name, values in parse_qs(body).items()}
            if body and self.headers["Content-Type"] != "application/x-www-form-urlencoded":
                self._json(400, _error("invalid_request_error", "Send a form."))
            else:
                self._api("POST", path, fields)

        def _api(self, method: str, path: str, fields: dict[str, str]) -> None:
            key = (self.headers["Authorization"] or "").removeprefix("Bearer ")
            status, body = stripe.answer(method, path, fields, key, self.headers["Idempotency-Key"])
            self._json(status, body)

        def _pay(self, id: str) -> None:
            session = stripe.pay(id)
            if stripe.deliver is not None:
                body = stripe.event("checkout.session.completed", session)
                stripe.deliver(body, signature_of(body, stripe.secret))
            self.send_response(303)
            self.send_header("Location", session["success_url"])
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _json(self, status: int, body: dict[str, Any]) -> None:
            self._send(status, json.dumps(body), "application/json")

        def _send(self, status: int, text: str, kind: str = "text/html; charset=utf-8") -> None:
            content = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _texts(session: dict[str, Any]) -> dict[str, str]:
    return {name: session[name] for name in ("title", "cancel_url")}
