"""Loopback port that carries one RTSP connection over a TLS connection of the agent.

ffmpeg compares no certificate with a pin, and its options for TLS differ between versions: so the
agent opens the connection, and ffmpeg speaks plain RTSP with this computer alone.
"""

import re
import selectors
import socket
import threading
import time
from contextlib import suppress

from agent.sockets import BoundedTls

CHUNK = 1 << 16
POLL = 0.1  # s until a relay that is closed ends
PARTIAL = 0.02  # s to wait for the rest of what has come
MAX_LINE = 4096  # bytes of a status line
# A redirect, as ffmpeg reads it, which ignores every CR.
_REDIRECT = re.compile(rb"RTSP/[^ \t\n]{0,256}[ \t]{1,256}\+?0{0,9}3")


class RtspRelay:
    """Carries bytes between the first client of a port and a server, until one of them ends.

    upstream : the connection to the server, which is closed with the relay

    Another program of this computer could connect first: it would have a connection to the server
    without its password, and ffmpeg would have none.
    """

    def __init__(self, upstream: BoundedTls, deadline: float):
        self._upstream, self._deadline = upstream, deadline
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1)
        self.port: int = self._listener.getsockname()[1]
        self.is_redirected = False
        self._stop, self._seen = threading.Event(), b""
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "RtspRelay":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def _is_over(self) -> bool:
        return self._stop.is_set() or time.monotonic() > self._deadline

    def _run(self) -> None:
        with self._upstream, suppress(OSError):
            with self._listener:
                client = self._accept()
            if client is not None:
                with client:
                    client.settimeout(max(self._deadline - time.monotonic(), POLL))
                    self._carry(client)

    def _accept(self) -> socket.socket | None:
        self._listener.settimeout(POLL)
        while not self._is_over:
            with suppress(TimeoutError):
                return self._listener.accept()[0]
        return None

    def _carry(self, client: socket.socket) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(client, selectors.EVENT_READ)
            selector.register(self._upstream, selectors.EVENT_READ)
            while not self._is_over:
                for key, _ in selector.select(POLL):
                    if key.fileobj is client:
                        if not (data := client.recv(CHUNK)):
                            return
                        self._upstream.bound(self._deadline)
                        self._upstream.sendall(data)
                    elif not self._carry_down(client):
                        return

    def _carry_down(self, client: socket.socket) -> bool:
        """Carry what has come from the server; False at its end, and before a redirect."""
        while True:
            self._upstream.bound(None, PARTIAL)
            try:
                data = self._upstream.recv(CHUNK)
            except TimeoutError:  # a session ticket, or a part of a TLS record
                return True
            if not data:
                return False
            self._seen = self._seen[-MAX_LINE:] + data.replace(b"\r", b"")
            if _REDIRECT.search(self._seen):
                self.is_redirected = True
                return False
            client.sendall(data)
            if not self._upstream.pending():
                return True
