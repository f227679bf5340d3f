"""ASGI server of the built-in providers."""

import asyncio
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import django
import orjson

django.setup()  # the settings below need no more, and no database is asked

from apps.integrations.builtin import catalogue  # noqa: E402
from apps.integrations.builtin.catalogue import Offer  # noqa: E402
from apps.integrations.builtin.job_runner import JobRunner  # noqa: E402
from apps.integrations.domain import protocol  # noqa: E402
from apps.integrations.domain.schemas import check_parameters  # noqa: E402
from core.errors import InvalidFields  # noqa: E402
from core.outbound.webhook_signatures import is_signed  # noqa: E402
from core.process.parent_death_signal import end_with_parent  # noqa: E402

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

WHOLE = 30.0  # seconds for a request's body
# What a job says, by its path: each of these is text.
TEXTS = (
    ("operation",),
    ("inputs", "model"),
    ("inputs", "content"),
    ("inputs", "name"),
    ("inputs", "type"),
    ("callback", "url"),
    ("callback", "method"),
    ("upload", "url"),
    ("upload", "method"),
)

end_with_parent()
_offers = {f"/{offer.type}/": offer for offer in catalogue.offers()}
_desk = JobRunner(os.cpu_count() or 1)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request."""
    if scope["type"] != "http":
        return
    try:
        async with asyncio.timeout(WHOLE):
            status, content = await _answer(scope, receive)
    except TimeoutError:
        status, content = 408, _error("request-timeout", "The body arrived too slowly.")
    body = orjson.dumps(content)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _answer(scope: Scope, receive: Receive) -> tuple[int, dict[str, object]]:
    if scope["path"] == "/health/":
        return 200, {"status": "ok"}
    offer = _offers.get(scope["path"])
    if offer is None:
        return 404, _error("resource-not-found", "No provider is at this path.")
    if scope["method"] not in ("POST", "PUT", "DELETE"):
        return 405, _error("invalid-method", "Send the operation with POST.")
    body = await _whole_body(receive)
    if len(body) > protocol.LARGEST_MESSAGE:
        return 413, _error("payload-too-large", "The request is too large.")
    pairs = [(name.decode("latin1"), text.decode("latin1")) for name, text in scope["headers"]]
    headers = {name.lower(): text for name, text in pairs}
    if not is_signed(offer.secret, headers, body):
        return 401, _error("invalid-signature", "This is not signed with the service's secret.")
    try:
        job = orjson.loads(body)
    except orjson.JSONDecodeError:
        return 400, _error("invalid-payload", "The body is not JSON.")
    return drop(job) if scope["method"] == "DELETE" else take(offer, job)


def drop(job: Any) -> tuple[int, dict[str, object]]:
    """Stop a cancelled job and return the status and body of the response."""
    operation = _at(job, ("operation",))
    if not isinstance(operation, str):
        return 400, _error("missing-parameter", "Not there, or no text: operation.")
    _desk.drop(operation)
    return 202, {"status": "dropped"}


def take(offer: Offer, job: Any) -> tuple[int, dict[str, object]]:
    """Accept a job, or say why not: status and body of the answer."""
    if missing := [".".join(path) for path in TEXTS if not isinstance(_at(job, path), str)]:
        return 400, _error("missing-parameter", f"Not there, or no text: {', '.join(missing)}.")
    parameters = job.get("parameters")
    if not isinstance(parameters, dict):
        return 400, _error("missing-parameter", "parameters is not there, or no object.")
    try:
        check_parameters(offer.schema, parameters)
    except InvalidFields as error:
        return 422, {"errors": error.entries()}
    if not isinstance(job.get("account", ""), str):
        return 400, _error("invalid-parameter", "account is no text.")
    if not _desk.accept(offer, job):
        return 503, _error("busy", "Too many operations of this account wait: ask again.")
    return 202, {"status": "accepted"}


async def _whole_body(receive: Receive) -> bytes:
    body, more = bytearray(), True
    while more and len(body) <= protocol.LARGEST_MESSAGE:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _error(code: str, title: str) -> dict[str, object]:
    return {"errors": [{"code": code, "title": title}]}
