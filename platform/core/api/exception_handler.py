"""DRF exception handler and Django error handlers: every error as the platform's JSON."""

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    ObjectDoesNotExist,
    PermissionDenied,
    SuspiciousOperation,
    TooManyFieldsSent,
)
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from psycopg.errors import LockNotAvailable
from rest_framework import exceptions
from rest_framework.views import set_rollback

from core.api.renderers import Response
from core.errors import DatabaseUnavailable, ErrorEntry, LockTimeout, ServiceError, error_entry
from core.files.disk_space import StorageFull, is_disk_full
from core.files.storage.errors import StorageError

logger = logging.getLogger(__name__)

# The code of a field's fault, by DRF's code.
FIELD_CODES = {
    "required": "missing-parameter",
    "blank": "missing-parameter",
    "unknown": "request-validation-error",
    "empty": "empty-payload",
    "not_a_dict": "invalid-payload",
    "fixed": "cannot-set-property",
    **dict.fromkeys(
        (
            "invalid_choice",
            "max_value",
            "min_value",
            "max_length",
            "min_length",
            "max_string_length",
            "unique",
            "not-allowed",
        ),
        "property-value-not-in-allowed-values",
    ),
}

# The code and a sentence for whole requests, by DRF's exception.
REQUEST_CODES: dict[type[Exception], tuple[str, str]] = {
    exceptions.NotAuthenticated: (
        "no-credentials-provided",
        "This needs a signed-in caller: send the session cookie, or an API token and its secret "
        "as HTTP Basic credentials.",
    ),
    exceptions.AuthenticationFailed: ("invalid-credentials", ""),
    exceptions.ParseError: (
        "invalid-payload",
        "The body cannot be read: send a JSON object (or form fields) that matches its "
        "Content-Type.",
    ),
    exceptions.UnsupportedMediaType: ("unsupported-media-type", ""),
    exceptions.MethodNotAllowed: ("invalid-method", ""),
    exceptions.Throttled: ("rate-limited", ""),
    exceptions.PermissionDenied: ("Unauthorized", ""),
    exceptions.NotFound: ("resource-not-found", "There is no such resource, or not for you."),
}


def answer(error: Exception, context: Mapping[str, object]) -> Response | None:
    """DRF's exception handler: the error body of the whole platform."""
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, ObjectDoesNotExist):
        # Somebody deleted it between the moment it was read and that it was locked.
        logger.warning("Object deleted concurrently: %s", error, exc_info=error)
        error = exceptions.NotFound()
    elif isinstance(error, RecursionError):
        error = exceptions.ParseError()  # a body that is nested thousands deep
    elif isinstance(error, TooManyFieldsSent):
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        error = ServiceError(f"Send at most {most} fields.", code="invalid-payload")
    elif isinstance(error, BadRequest | SuspiciousOperation):
        error = exceptions.ParseError()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    elif is_disk_full(error):
        logger.error("The disk is full: %s", error)
        error = StorageFull()
    elif isinstance(error, StorageError):
        logger.error("%s", error)
        error = error.rejection()
    elif isinstance(error, OperationalError | InterfaceError):
        logger.warning("The database did not answer: %s", error)
        error_class = getattr(context.get("view"), "unreachable", DatabaseUnavailable)
        locked = isinstance(error.__cause__, LockNotAvailable)
        if locked and error_class is DatabaseUnavailable:
            error_class = LockTimeout
        error = error_class()

    if isinstance(error, ServiceError):
        set_rollback()
        return Response({"errors": error.entries()}, error.status, headers=error.headers)
    if isinstance(error, exceptions.ValidationError):
        set_rollback()
        return Response(
            {"errors": list(fault_entries(error.get_full_details()))}, error.status_code
        )
    if isinstance(error, exceptions.APIException):
        set_rollback()
        code, title = next(
            (words for kind, words in REQUEST_CODES.items() if isinstance(error, kind)),
            (str(error.default_code), ""),
        )
        return Response(
            {"errors": [error_entry(code, title or str(error.detail))]},
            error.status_code,
            headers=_headers(error),
        )
    return None


def _headers(error: exceptions.APIException) -> dict[str, str]:
    said = {"WWW-Authenticate": "auth_header", "Retry-After": "wait"}
    values = {header: getattr(error, name, None) for header, name in said.items()}
    return {header: str(value) for header, value in values.items() if value}


def fault_entries(details: Any, path: tuple[str, ...] = ()) -> Iterator[ErrorEntry]:
    """Flatten DRF's nested details into entries with dotted fields."""
    if isinstance(details, dict) and isinstance(details.get("message"), str):
        code = str(FIELD_CODES.get(details["code"], details["code"]))
        if "-" not in code:
            code = "type-validation-error"
        yield error_entry(code, details["message"], field=".".join(path) or None)
    elif isinstance(details, dict):
        for name, inner in details.items():
            own = () if name == "non_field_errors" else (str(name),)
            yield from fault_entries(inner, (*path, *own))
    else:
        for inner in details:
            yield from fault_entries(inner, path)


# ---------------------------------------------------------------- where no view was reached


def _plain(code: str, title: str, status_code: int) -> HttpResponse:
    body = orjson.dumps({"errors": [error_entry(code, title)]})
    return HttpResponse(body, status=status_code, content_type="application/json")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler404: a path that no service has."""
    return _plain("resource-not-found", f"Nothing is at {request.path[:200]} on this host.", 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500: a 500 in the API's format, without internals."""
    number = getattr(request, "id", "")
    return _plain(
        "internal-error",
        f"Something failed on our side. Tell the operator the request id {number}.",
        500,
    )


def read_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Makes a plain view that is read and nothing else."""

    @wraps(view)
    def answered(request: HttpRequest, **keys: Any) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return view(request, **keys)
        response = _plain("invalid-method", f'Method "{request.method}" not allowed.', 405)
        response["Allow"] = "GET, HEAD"
        return response

    return answered
