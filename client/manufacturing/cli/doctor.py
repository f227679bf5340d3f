"""`mp doctor`."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from manufacturing import Client, ClientError, Refused, Unreachable, __version__, events
from manufacturing.transport import LOST

REFUSED, UNREACHABLE = 1, 4
TOLERANCE = 60  # seconds that two clocks may differ


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `code` is how the command ends for it."""

    what: str
    words: str
    code: int = 0

    @property
    def fine(self) -> bool:
        return self.code == 0

    @property
    def told(self) -> dict[str, object]:
        return {"what": self.what, "ok": self.fine, "words": self.words}


def findings() -> Iterator[Finding]:
    """One after another; what cannot be known is left out."""
    with Client() as client:
        base = client.transport.base.geturl()
        try:
            answer = client.transport.request("GET", f"{base}/health/", deadline=10)
        except ClientError as error:
            code = UNREACHABLE if isinstance(error, Unreachable) else REFUSED
            yield Finding("address", f"{error} Is it MP_URL, or that of `mp login`?", code)
            return
        yield Finding("address", f"{base} answers.")
        yield clock(answer.headers.get("Date", ""))
        yield version(client)
        yield token(client)
        yield stream(client)


def clock(told: str) -> Finding:
    """Whether signatures of callbacks would be in time."""
    if not told:
        return Finding("clock", "The platform does not tell the time.")
    apart = abs(parsedate_to_datetime(told).timestamp() - time.time())
    if apart > TOLERANCE:
        words = f"The clocks differ by {apart:.0f} s: set this machine's."
        return Finding("clock", words, REFUSED)
    return Finding("clock", "The clocks agree.")


def version(client: Client) -> Finding:
    """Whether this client is of the platform's own version, or an older one of its kind."""
    try:
        document = client.get(client.transport.url("models", "/openapi.json"))
    except ClientError as error:
        return Finding("version", f"The services' hosts do not answer: {error}", UNREACHABLE)
    theirs = document["info"]["version"]
    fits = numbers(theirs)[:1] == numbers(__version__)[:1] and numbers(theirs) >= numbers(
        __version__
    )
    if fits:
        return Finding("version", f"The platform is {theirs}, this client {__version__}.")
    wheel = client.transport.url("", f"/client/manufacturing-{theirs}-py3-none-any.whl")
    words = f"The platform is {theirs}, this client {__version__}: pip install {wheel}"
    return Finding("version", words, REFUSED)


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdecimal()]


def token(client: Client) -> Finding:
    """Whether the platform knows who asks."""
    try:
        who = client.users.session()
    except Refused as refused:
        return Finding("token", f"{refused} `mp login` makes you known.", REFUSED)
    except ClientError as error:
        return Finding("token", str(error), UNREACHABLE)
    return Finding("token", f"You are {who['username']}.")


def stream(client: Client) -> Finding:
    """Whether waiting is told of news, or has to ask each second."""
    url = events.address(client.transport, (), None, "")
    try:
        with client.transport.stream(url, idle_timeout=10):
            return Finding("events", "The stream of events opens.")
    except (ClientError, *LOST) as error:
        words = f"The stream of events does not open ({error}): a proxy may hold it back."
        return Finding("events", words, REFUSED)
