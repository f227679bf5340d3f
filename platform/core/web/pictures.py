"""Pictures that a request sends: decoded in a sandbox, one at a time in a process."""

import base64
import threading
from typing import Any

from core.errors import RateLimited
from core.sandbox.sandbox import ResourceLimits, Sandbox
from core.web.rate_limits import check_request_rate

RATE = 1  # pictures of an account in a second, and four seconds' worth at once
WAIT = 10.0  # s, for the pictures of others
LIMITS = ResourceLimits(seconds=10, memory=1024**3, file_size=0)

# Several at once would take the processor from the requests of others.
_DECODING = threading.Lock()


def decode_picture(module: str, function: str, content: bytes, *, account: str) -> Any:
    """Return what a sandboxed job says of a picture; it gets `content` in base64.

    account : URI of who sends it

    What the job says is to be checked: the child may be in the hands of the picture.

    Raises
    ------
    JobInputError: it crashed, or took more than LIMITS
    RateLimited: others' pictures took WAIT, or the account sends more than RATE
    """
    check_request_rate(f"pictures of {account}", RATE)
    if not _DECODING.acquire(timeout=WAIT):
        title = "Other pictures are being read: send it again in some seconds."
        raise RateLimited(title, limit="pictures", most=1, used=1, wait=round(WAIT))
    try:
        sandbox = Sandbox(module, limits=LIMITS)
        try:
            return sandbox.run(f"{module}:{function}", content=base64.b64encode(content).decode())
        finally:
            sandbox.close()
    finally:
        _DECODING.release()
