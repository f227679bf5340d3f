"""Lines between machines that can be cut, held, slow and torn, as cables and firewalls do it."""

import socket
import threading
import time
from contextlib import suppress

from tests.live.processes import free_ports

PIECE = 1 << 16


class Line:
    """A port of this machine that leads to another.

    cut()  : what is open is closed, and nothing new comes through
    hold() : everything stays open, and nothing more comes through: nobody is told
    slow() : each piece comes through later
    tear() : of what comes next on each connection half comes through, and then it ends
    mend() : all is well again
    """

    def __init__(self, target: int):
        self.target = target
        (self.port,) = free_ports(1)
        self._through = threading.Event()
        self._through.set()
        self._open: set[socket.socket] = set()
        self._is_cut = self._is_torn = False
        self._delay = 0.0  # seconds
        self._server = socket.create_server(("127.0.0.1", self.port), backlog=512)
        threading.Thread(target=self._answer, daemon=True).start()

    def cut(self) -> None:
        self._is_cut = True
        self._drop()

    def hold(self) -> None:
        self._through.clear()

    def slow(self, seconds: float = 0.5) -> None:
        self._delay = seconds

    def tear(self) -> None:
        self._is_torn = True

    def mend(self) -> None:
        if not self._through.is_set():
            self._drop()  # what was held and is sent later would be another fault
        self._is_cut = self._is_torn = False
        self._delay = 0.0
        self._through.set()

    def close(self) -> None:
        self._server.close()
        self.cut()
        self._through.set()

    def _drop(self) -> None:
        for end in list(self._open):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _answer(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            if self._is_cut:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                near.close()
                continue
            self._open |= {near, far}
            for one, other in ((near, far), (far, near)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while piece := one.recv(PIECE):
                self._through.wait()
                time.sleep(self._delay)
                other.sendall(piece[: len(piece) // 2] if self._is_torn else piece)
                if self._is_torn:
                    break
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            self._open.discard(end)
        one.close()
