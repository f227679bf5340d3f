"""Waits for resources by the event stream."""

import json
import threading
import time
from collections import Counter
from http.client import HTTPResponse

from manufacturing.errors import ClientError
from manufacturing.transport import LOST, Transport

IDLE_TIMEOUT = 30.0  # seconds without a sign of life, after which the stream is taken for lost
ASKING = 1.0  # seconds between questions where there is no stream
PAUSE = 5.0  # seconds before the stream is asked for again


class WakeUp:
    """Hears of changes, in one thread for a client, from its first wait on."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._changed = threading.Condition()
        self._received: Counter[str] = Counter()
        self._openings = 0
        self._listens = False
        self._thread: threading.Thread | None = None
        self._position = ""
        self._closed = threading.Event()

    def start(self) -> None:
        """Listen; return once the stream is open, or cannot be opened for now."""
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(target=self._keep_listening, daemon=True)
                self._thread.start()
                self._changed.wait(IDLE_TIMEOUT)

    def count(self, uri: str) -> int:
        """Return how often there was a reason to request a resource."""
        with self._changed:
            return self._reasons(uri)

    def wait(self, uri: str, seen: int, seconds: float) -> None:
        """Return at an event of the resource beyond `seen`, and when it is time to poll anyway."""
        with self._changed:
            pause = IDLE_TIMEOUT if self._listens else ASKING
            self._changed.wait_for(lambda: self._reasons(uri) > seen, min(pause, seconds))

    def close(self) -> None:
        """Listen no longer."""
        self._closed.set()

    def _reasons(self, uri: str) -> int:
        return self._received[uri] + self._openings  # before which something may have been missed

    def _keep_listening(self) -> None:
        while not self._closed.is_set():
            try:
                after = {"Last-Event-ID": self._position} if self._position else {}
                url = self._transport.url("callbacks", "/events/")
                with self._transport.stream(url, after, idle_timeout=IDLE_TIMEOUT) as response:
                    self._tell(listens=True)
                    self._listen(response)
            except (ClientError, ValueError, *LOST):
                pass  # whoever waits asks the resource meanwhile
            self._tell(listens=False)
            self._closed.wait(PAUSE)

    def _listen(self, response: HTTPResponse) -> None:
        while (line := response.readline()) and not self._closed.is_set():
            event = json.loads(line) if line.strip() else {}
            self._position = str(event.get("position", self._position))
            if "uri" in event:
                with self._changed:
                    self._received[event["uri"]] += 1
                    self._changed.notify_all()

    def _tell(self, *, listens: bool) -> None:
        with self._changed:
            self._listens = listens
            self._openings += listens
            self._changed.notify_all()


def seconds_left(end: float) -> float:
    """Until a moment; for ever where there is none."""
    return max(0.0, end - time.monotonic())
