"""Usage of requests: CPU time and elapsed time, measured in the thread that answers."""

import time
from collections.abc import Iterator
from typing import NamedTuple
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from core.request_context import ACCOUNT

USAGE = "platform.usage"  # key of an ASGI scope


class Usage(NamedTuple):
    """What a request took.

    account : of its credentials; empty where they are not valid, None where they were not checked
    cpu     : s of CPU of the web process
    elapsed : s, with those in which the thread waited
    """

    account: str | None
    cpu: float
    elapsed: float


def measured(application: WSGIApplication) -> WSGIApplication:
    """Have an application write the usage of each request into its ASGI scope."""

    def measure(environ: WSGIEnvironment, start_response: StartResponse) -> Iterator[bytes]:
        cpu, elapsed = time.thread_time(), time.monotonic()
        response = application(environ, start_response)
        try:
            yield from response
        finally:
            getattr(response, "close", lambda: None)()
            environ["asgi.scope"][USAGE] = Usage(
                account=environ.get(ACCOUNT),
                cpu=time.thread_time() - cpu,
                elapsed=time.monotonic() - elapsed,
            )

    return measure
