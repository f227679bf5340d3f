"""Pictures of the camera of a simulated A1 or P1 printer of Bambu Lab."""

import socket
import struct
import threading
from contextlib import suppress

import pytest

from agent import bambu_camera
from agent.bambu_camera import take_picture
from agent.camera import MAX_READ
from agent.certificates import CertificateChanged, CertificatePins
from machines.drivers import NoAnswer, NotSent, Rejected
from tests.agent.conftest import HERE
from tests.agent.simulated_bambu import CODE, USER, tls_context

PICTURE = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 40 + b"\xff\xd9"


class SimulatedCamera:
    """Sends pictures to clients that log in with the access code.

    logins : bytes that connections have sent
    answer : what is sent after a right login; None for nothing
    """

    def __init__(self) -> None:
        self.context = tls_context()
        self.logins: list[bytes] = []
        self.answer: bytes | None = frame(PICTURE) * 2
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = self.server.getsockname()
        self.is_open = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def take(self, code: str = CODE, pins: CertificatePins | None = None) -> bytes:
        return take_picture(self.address, code, HERE, pins or CertificatePins())

    def close(self) -> None:
        self.is_open.set()
        self.server.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            with suppress(OSError), self.context.wrap_socket(client, server_side=True) as secured:
                login = b""
                while len(login) < 80 and (part := secured.recv(80 - len(login))):
                    login += part
                self.logins.append(login)
                right = struct.pack("<4I", 64, 0x3000, 0, 0) + padded(USER) + padded(CODE)
                if login == right and self.answer is not None:
                    secured.sendall(self.answer)
                elif login == right:
                    self.is_open.wait(20)


def padded(text: str) -> bytes:
    return text.encode().ljust(32, b"\0")


def frame(picture: bytes, size: int | None = None) -> bytes:
    return struct.pack("<4I", len(picture) if size is None else size, 0, 1, 0) + picture


@pytest.fixture
def camera():
    simulated = SimulatedCamera()
    yield simulated
    simulated.close()


def test_next_picture_is_taken(camera):
    assert camera.take() == PICTURE
    assert camera.take() == PICTURE


def test_wrong_access_code_is_named_as_a_cause(camera):
    with pytest.raises(NoAnswer, match="access code"):
        camera.take("87654321")


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (frame(b"<html>"), Rejected, "no JPEG or PNG"),
        (frame(b"", MAX_READ + 1), Rejected, "above"),
        (frame(PICTURE)[:100], NoAnswer, "closed the connection"),
        (b"", NoAnswer, "closed the connection"),
    ],
)
def test_anything_but_a_picture_is_refused(camera, answer, error, text):
    camera.answer = answer

    with pytest.raises(error, match=text):
        camera.take()


def test_camera_that_sends_nothing_is_left(camera, monkeypatch):
    monkeypatch.setattr(bambu_camera, "PICTURE_TIME", 0.5)
    camera.answer = None

    with pytest.raises(NoAnswer, match="sends no picture"):
        camera.take()


def test_code_is_not_sent_to_another_certificate(camera):
    with pytest.raises(CertificateChanged):
        camera.take(pins=CertificatePins(f"camera={'0' * 64}"))

    camera.take()
    assert [login for login in camera.logins if login] == camera.logins[-1:]


def test_printer_without_this_camera_has_a_hint():
    with pytest.raises(NotSent, match="manufacturing-agent camera"):
        take_picture(("127.0.0.1", 9), CODE, HERE, CertificatePins())
