"""Camera of the X1 printers of Bambu Lab: a frame of their RTSPS stream, which ffmpeg decodes.

Not tried with a printer yet: it follows what others have published of the protocol (OpenBambuAPI).
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import quote

from agent.bambu_camera import ONLY_STREAM
from agent.bambu_link import USER
from agent.camera import MAX_READ, PICTURE_TIME, SIDE, checked
from agent.certificates import CertificatePins, pinning_context
from agent.rtsp_relay import RtspRelay
from agent.sockets import AddressNotAllowed, BoundedTls, Network, open_tls
from machines.drivers import NoAnswer, NotSent, Rejected

PROGRAM = "ffmpeg"
PORT, PATH = 322, "/streaming/live/1"
FRAME_TIME = 15.0  # s until ffmpeg has written a frame
ANALYSIS_TIME = 0.5  # s of the stream that ffmpeg reads in front of the first frame
MAX_REASON = 150  # characters of ffmpeg's output
# The stream is named in a list at standard input: every user of the computer reads command lines.
ARGUMENTS = (
    *("-v", "error", "-threads", "1", "-f", "concat", "-safe", "0"),
    *("-protocol_whitelist", "pipe,tcp", "-i", "pipe:0", "-an", "-frames:v", "1"),
    *("-vf", f"scale={SIDE}:{SIDE}:force_original_aspect_ratio=decrease"),
    *("-f", "image2pipe", "-c:v", "mjpeg", "-q:v", "5", "-fs", str(MAX_READ), "pipe:1"),
)


def is_available() -> bool:
    """Return whether ffmpeg is installed."""
    return shutil.which(PROGRAM) is not None


def take_frame(
    address: tuple[str, int], code: str, networks: Sequence[Network] | None, pins: CertificatePins
) -> bytes:
    """Return a frame of a printer's video, a JPEG of at most `camera.SIDE` pixels a side.

    code : access code, which is sent to the pinned certificate alone

    Raises NotSent, NoAnswer, and Rejected for a wrong access code.
    """
    if (program := shutil.which(PROGRAM)) is None:
        raise NotSent(ONLY_STREAM)
    deadline = time.monotonic() + FRAME_TIME
    connection = connect(address, networks, pins)
    connection.bound(deadline)
    with RtspRelay(connection, deadline) as relay:
        frame, errors = _run(program, _playlist(relay.port, code), deadline)
    if relay.is_redirected:
        raise Rejected("The camera redirects to another address, which is not followed.")
    if frame:
        return checked(frame)
    if "401 Unauthorized" in errors:
        raise Rejected("The camera does not accept the access code: enter it again.")
    if "unknown keyword" in errors:
        raise NotSent(
            "ffmpeg on the agent's computer is older than version 5: install a newer one."
        )
    lines = [line for line in errors.replace(code, "…").splitlines() if line.strip()]
    reason = "".join(each for each in (lines or ["no output"])[0] if each.isprintable())
    raise NoAnswer(f"ffmpeg reads no frame: {reason[:MAX_REASON]}.")


def connect(
    address: tuple[str, int], networks: Sequence[Network] | None, pins: CertificatePins
) -> BoundedTls:
    """Return the connection to a video server, whose certificate is that of the pins.

    Raises NotSent.
    """
    deadline = time.monotonic() + PICTURE_TIME
    try:
        connection = open_tls(*address, networks, deadline, pinning_context())
    except AddressNotAllowed:
        raise
    except NotSent as error:
        raise NotSent(
            f"{error} If it is a printer of the X1 series, switch on LAN Only Liveview at its "
            "display."
        ) from error
    pins.check("stream", connection)
    return connection


def _playlist(port: int, code: str) -> bytes:
    """Return a list for ffmpeg's demuxer `concat` with the stream at a relay."""
    lines = (
        "ffconcat version 1.0",
        f"file 'rtsp://{USER}:{quote(code, safe='')}@127.0.0.1:{port}{PATH}'",
        "option rtsp_transport tcp",
        f"option analyzeduration {round(ANALYSIS_TIME * 1e6)}",
    )
    return "\n".join((*lines, "")).encode()


def _run(program: str, playlist: bytes, deadline: float) -> tuple[bytes, str]:
    """Return what ffmpeg writes, and its errors. Raises NotSent and NoAnswer."""
    try:
        process = subprocess.Popen(  # noqa: S603
            [program, *ARGUMENTS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            start_new_session=True,
        )
    except OSError as error:
        raise NotSent(f"ffmpeg does not start: {error}.") from error
    try:
        left = max(deadline - time.monotonic(), 0.0)
        frame, errors = process.communicate(playlist, timeout=left)
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"The camera sends no frame within {FRAME_TIME:g} seconds.") from error
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return frame, errors.decode("utf-8", "replace")
