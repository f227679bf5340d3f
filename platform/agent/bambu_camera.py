"""Camera of the A1 and P1 printers of Bambu Lab: JPEG pictures over TLS, one after the other.

Not tried with a printer yet: it follows what others have published of the protocol (OpenBambuAPI).
"""

import struct
import time
from collections.abc import Sequence

from agent.bambu_link import USER
from agent.camera import MAX_READ, PICTURE_TIME, checked
from agent.certificates import CertificatePins, pinning_context
from agent.sockets import AddressNotAllowed, BoundedTls, Network, open_tls
from machines.drivers import NoAnswer, NotSent, Rejected

PORT = 6000
HEADER = struct.Struct("<4I")  # bytes that follow; kind of a login, or three figures of a picture
LOGIN = 0x3000
FIELD = 32  # bytes of the user, and of the access code
ONLY_STREAM = (
    "Printers of the X1 series have only a video stream: install ffmpeg on the agent's computer, "
    "or name the URL of a snapshot at the agent, by `manufacturing-agent camera`."
)


class NoPictureServer(NotSent):
    """The printer has no server of pictures, as the X1 series, or does not answer."""


def take_picture(
    address: tuple[str, int], code: str, networks: Sequence[Network] | None, pins: CertificatePins
) -> bytes:
    """Return the next picture of a printer's camera, a JPEG.

    code : access code, which is sent to the pinned certificate alone

    Raises NotSent, NoAnswer, and Rejected for anything but a picture.
    """
    with connect(address, networks, pins) as connection:
        login = (field.encode()[:FIELD].ljust(FIELD, b"\0") for field in (USER, code))
        try:
            connection.sendall(HEADER.pack(2 * FIELD, LOGIN, 0, 0) + b"".join(login))
            size = HEADER.unpack(_read(connection, HEADER.size))[0]
            if size > MAX_READ:
                raise Rejected(f"The picture of the camera has {size} bytes, above {MAX_READ}.")
            return checked(_read(connection, size))
        except OSError as error:
            raise NoAnswer(f"The camera sends no picture: {error}.") from error


def connect(
    address: tuple[str, int], networks: Sequence[Network] | None, pins: CertificatePins
) -> BoundedTls:
    """Return the connection to a camera, whose certificate is that of the pins.

    Raises NotSent, and NoPictureServer where there is no connection.
    """
    deadline = time.monotonic() + PICTURE_TIME
    try:
        connection = open_tls(*address, networks, deadline, pinning_context())
    except AddressNotAllowed:
        raise
    except NotSent as error:
        raise NoPictureServer(f"{error} {ONLY_STREAM}") from error
    pins.check("camera", connection)
    return connection


def _read(connection: BoundedTls, size: int) -> bytes:
    """Return the next bytes. Raises OSError, and NoAnswer where the connection ends before."""
    content = bytearray()
    while len(content) < size:
        part = connection.recv(size - len(content))
        if not part:
            raise NoAnswer("The camera has closed the connection: is the access code right?")
        content += part
    return bytes(content)
