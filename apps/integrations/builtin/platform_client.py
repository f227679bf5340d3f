"""Client of the platform's side of the protocol: fetch model, upload result, report."""

import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import orjson
import requests
from django.conf import settings

from apps.integrations.domain import protocol
from core.outbound.webhook_signatures import signed_headers

TIMEOUT = (5, 120)  # seconds to connect, and between two pieces
PAUSES = (1, 2, 4, 8, 15)  # seconds before a request is repeated: the platform may be restarting
CHUNK = 1 << 20


class GivenUp(Exception):
    """The platform cancelled the operation or is unreachable; it sends it again if needed."""


class TooBig(Exception):
    """The model's file is larger than any that may be uploaded."""


def fetch(url: str, path: Path) -> None:
    """Write the file behind a location to `path`."""

    def once(session: requests.Session) -> requests.Response:
        place, headers = _address(url)
        headers["Prefer"] = "return=representation"  # a redirect is not followed
        answer = session.get(
            place, headers=headers, timeout=TIMEOUT, stream=True, allow_redirects=False
        )
        if answer.ok:
            with path.open("wb") as file:
                for piece in answer.iter_content(CHUNK):
                    file.write(piece)
                    if file.tell() > settings.MAX_UPLOAD:
                        raise TooBig
        return answer

    _patiently(once)


def upload(url: str, method: str, path: Path) -> None:
    """Send the file at `path` to an upload location."""

    def once(session: requests.Session) -> requests.Response:
        place, headers = _address(url)
        headers["Content-Type"] = "application/octet-stream"
        with path.open("rb") as file:
            return session.request(
                method, place, headers=headers, data=file, timeout=TIMEOUT, allow_redirects=False
            )

    _patiently(once)


def report(url: str, method: str, secret: str, **content: object) -> None:
    """Report the progress of an operation, signed; a retry has the same id."""
    body, id = orjson.dumps(content), str(uuid4())

    def once(session: requests.Session) -> requests.Response:
        place, headers = _address(url)
        headers |= signed_headers(secret, id=id, payload=body)
        headers["Content-Type"] = "application/json"
        return session.request(
            method, place, headers=headers, data=body, timeout=TIMEOUT, allow_redirects=False
        )

    _patiently(once)


def _patiently(once: Callable[[requests.Session], requests.Response]) -> None:
    """One request, repeated while the platform is away. Raises GivenUp."""
    for pause in (*PAUSES, None):
        try:
            with requests.Session() as session:
                session.trust_env = False
                session.headers["User-Agent"] = protocol.USER_AGENT
                answer = once(session)
            if answer.ok:
                return
            if answer.status_code < 500:
                raise GivenUp(f"{answer.status_code}: {answer.text[:300]}")
            words = str(answer.status_code)
        except requests.RequestException as error:
            words = str(error)
        if pause is None:
            raise GivenUp(words)
        time.sleep(pause)


def _address(url: str) -> tuple[str, dict[str, str]]:
    """Where to connect, and with which headers: our own names are not looked up."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    own = host == settings.PARENT_HOST or host.endswith(f".{settings.PARENT_HOST}")
    if not own:
        return url, {}  # the job was signed: it is from whoever has our secret
    rest = parts._replace(scheme="", netloc="").geturl()
    return f"{settings.WEB_ADDRESS}{rest}", {"Host": parts.netloc}
