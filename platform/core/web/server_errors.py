"""Records unhandled request errors (500) by Request-ID for 30 days."""

import logging
import threading
import traceback
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import Error, transaction
from django.http import HttpRequest
from django.utils import timezone

from core.models import ServerError
from core.request_context import request_context
from core.web.token_buckets import TokenBucket

logger = logging.getLogger(__name__)

KEPT = timedelta(days=30)
MAX_TRACE_LENGTH = 20_000  # letters, from its end
# Of this process: one that fails with every request shall not fill the disk.
A_SECOND, AT_ONCE = 1.0, 60.0

_pace = TokenBucket(AT_ONCE)
_lock = threading.Lock()


def remember(sender: Any, request: HttpRequest | None = None, **signal: Any) -> None:
    """Receiver of `got_request_exception`: record a view's failure.

    A failure that cannot be recorded, as where the database is down, is in the log only.
    """
    with _lock:
        late = _pace.take(A_SECOND, AT_ONCE)
    if request is None or late:
        return
    trace = traceback.format_exc()
    now = request_context()
    try:
        with transaction.atomic():
            ServerError.objects.create(
                number=now.request_id,
                method=request.method or "",
                path=_path(request),
                account=getattr(now.caller, "pk", None),
                exception=_text(trace.rstrip().rpartition("\n")[2])[:300],
                trace=_text(trace)[-MAX_TRACE_LENGTH:],
            )
    except Error as error:
        logger.warning("Could not record the server error of request %s: %s", now.request_id, error)


def forget_old() -> None:
    """Delete records older than KEPT."""
    ServerError.objects.filter(created__lt=timezone.now() - KEPT).delete()


def _path(request: HttpRequest) -> str:
    """The path, without what may be a secret: what it names otherwise than by a key."""
    path = request.path
    match = request.resolver_match
    for name, value in (match.kwargs if match else {}).items():
        if not isinstance(value, UUID | int):
            path = path.replace(str(value), f"<{name}>")
    return _text(f"{request.get_host()}{path}")[:500]


def _text(given: str) -> str:
    """What PostgreSQL takes."""
    return given.encode(errors="backslashreplace").decode().replace("\0", "\\0")
