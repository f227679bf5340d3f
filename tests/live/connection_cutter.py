"""A line to the platform that is lost at a byte of one's choice."""

import socket
import threading
from contextlib import suppress

PIECE = 1 << 14


class CuttingLine:
    """A relay to a port; `cut_at(direction, byte)` closes the connection that carries that byte.

    passed : bytes that went through since the last `cut_at`, "up" to the platform and "down"
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._lock = threading.Lock()
        self._ears = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._ears.getsockname()[1]
        self.cut_at("", 0)
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_at(self, direction: str, byte: int) -> None:
        """Count anew; cut once, after so many bytes in a direction."""
        with self._lock:
            self.passed = {"up": 0, "down": 0}
            self._cut, self.was_cut = (direction, byte), False

    def close(self) -> None:
        self._ears.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._ears.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                for sides in ((near, far, "up"), (far, near, "down")):
                    threading.Thread(target=self._carry, args=sides, daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket, direction: str) -> None:
        with suppress(OSError):
            while data := source.recv(PIECE):
                allowed = self._allowed(direction, len(data))
                sink.sendall(data[:allowed])
                if allowed < len(data):
                    break
        for side in (source, sink):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
            side.close()

    def _allowed(self, direction: str, count: int) -> int:
        with self._lock:
            left = self._cut[1] - self.passed[direction]
            cuts = direction == self._cut[0] and not self.was_cut and left < count
            self.was_cut |= cuts
            count = left if cuts else count
            self.passed[direction] += count
            return count
