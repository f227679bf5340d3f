"""Idempotency-Key: replays the stored response of a repeated POST."""

import hashlib
from collections.abc import Callable

import orjson
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from psycopg.errors import LockNotAvailable
from rest_framework.request import Request

from core.api.renderers import Response
from core.errors import Conflict, ServiceError

KEPT_HEADERS = ("Location", "X-Location", "X-Upload-Location")


class KeyReused(ServiceError):
    """The key was used before, for another request."""

    status = 422
    code = "idempotency-key-reused"


class InProgress(Conflict):
    """The first request with this key has not ended yet."""

    code = "idempotency-in-progress"


def answer_once(request: Request, make: Callable[[], Response]) -> Response | HttpResponse:
    """`make()`, or the stored answer where the caller has used this key for this request before.

    Claim, rows, messages and stored answer are one transaction, so that they live or die
    together; errors are not stored, since they create nothing.
    """
    key = request.headers.get("Idempotency-Key")
    if not key or not request.user:
        return make()
    if len(key) > 255:
        raise ServiceError(
            "An Idempotency-Key has at most 255 characters.", code="request-validation-error"
        )
    try:
        with transaction.atomic():
            return _claimed(request, key, make)
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise InProgress(
                "A request with this Idempotency-Key is still being worked on: try again.",
                headers={"Retry-After": "1"},
            ) from error
        raise


def _claimed(request: Request, key: str, make: Callable[[], Response]) -> Response | HttpResponse:
    body = request._request.body  # DRF's own `body` is gone once its parsers have read
    words = b"\n".join([str(request.method).encode(), request.path.encode(), body])
    fingerprint = hashlib.sha256(words).digest()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO core_idempotentanswer (user_id, key, fingerprint, created)"
            " VALUES (%s, %s, %s, now()) ON CONFLICT (user_id, key) DO NOTHING RETURNING id",
            (request.user.pk, key, fingerprint),
        )
        claimed = cursor.fetchone()
        if claimed is None:
            cursor.execute(
                "SELECT fingerprint, status, headers::text, body FROM core_idempotentanswer"
                " WHERE user_id = %s AND key = %s",
                (request.user.pk, key),
            )
            return _replay(cursor.fetchone(), fingerprint)
        response = make()
        headers = {name: response[name] for name in KEPT_HEADERS if name in response}
        cursor.execute(
            "UPDATE core_idempotentanswer SET status = %s, headers = %s, body = %s WHERE id = %s",
            (response.status_code, orjson.dumps(headers).decode(), response.content, claimed[0]),
        )
    return response


def _replay(stored: tuple, fingerprint: bytes) -> HttpResponse:
    first, status, headers, body = stored
    if bytes(first) != fingerprint:
        raise KeyReused(
            "This Idempotency-Key was used for another request: use a new key for each request."
        )
    response = HttpResponse(bytes(body), status=status, content_type="application/json")
    for name, value in orjson.loads(headers).items():
        response[name] = value
    response["Idempotent-Replayed"] = "true"
    return response
