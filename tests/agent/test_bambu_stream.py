"""Frames of the video of a simulated X1 printer of Bambu Lab, by a program in place of ffmpeg."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from agent import bambu_stream
from agent.bambu import Bambu, BambuPorts
from agent.bambu_stream import take_frame
from agent.certificates import CertificateChanged, CertificatePins
from agent.sockets import AddressNotAllowed
from machines.drivers import NoAnswer, NotSent, Rejected
from tests.agent.conftest import HERE
from tests.agent.simulated_bambu import CODE, SimulatedBambu
from tests.agent.simulated_bambu_stream import PICTURE, SimulatedStream, install_program, reply

CLOSED = 9  # a port without a server


@pytest.fixture
def stream():
    simulated = SimulatedStream()
    yield simulated
    simulated.close()


@pytest.fixture
def program(tmp_path, monkeypatch):
    """The log of a program `ffmpeg`, which is found first."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return install_program(tmp_path)


@pytest.fixture
def no_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))


def take(stream: SimulatedStream, code: str = CODE, pins: CertificatePins | None = None) -> bytes:
    return take_frame(stream.address, code, HERE, pins or CertificatePins())


def test_frame_of_the_stream_is_taken(stream, program):
    pins = CertificatePins()

    assert take(stream, pins=pins) == PICTURE
    assert take(stream, pins=pins) == PICTURE

    assert stream.requests == ["DESCRIBE /streaming/live/1 RTSP/1.0"] * 2
    assert pins.text.startswith("stream=")


def test_access_code_is_in_no_command_line_and_environment(stream, program, monkeypatch):
    monkeypatch.setenv("AGENT_KEY", CODE)

    take(stream)

    arguments, environment = json.loads(program.read_text())
    assert CODE not in " ".join(arguments)
    assert CODE not in environment.values()


def test_wrong_access_code_is_rejected_and_not_in_the_message(stream, program):
    with pytest.raises(Rejected, match="does not accept the access code"):
        take(stream, "87654321")


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (reply(b"<html>"), Rejected, "no JPEG or PNG"),
        (reply(b""), NoAnswer, "no output"),
        (reply(b"", "500 Internal Server Error"), NoAnswer, "500 Internal"),
        (reply(b"", "302 Found", "Location: rtsp://10.0.0.1/\r\n"), Rejected, "redirects"),
        (b"R\rTSP/1.0   +302 Found\r\n\r\n", Rejected, "redirects"),
    ],
)
def test_anything_but_a_frame_is_refused(stream, program, answer, error, text):
    stream.answer = answer

    with pytest.raises(error, match=text) as raised:
        take(stream)
    assert CODE not in str(raised.value)


def test_program_is_killed_where_the_stream_sends_nothing(stream, program, monkeypatch):
    monkeypatch.setattr(bambu_stream, "FRAME_TIME", 1.0)
    stream.answer = None
    started: list[subprocess.Popen[bytes]] = []

    class NotedProcess(subprocess.Popen[bytes]):
        def __init__(self, *args, **more) -> None:
            super().__init__(*args, **more)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", NotedProcess)
    began = time.monotonic()

    with pytest.raises(NoAnswer, match="no frame within 1 seconds"):
        take(stream)

    assert time.monotonic() - began < 10
    assert [process.returncode for process in started] == [-9]


def test_program_that_never_connects_is_killed(stream, tmp_path, program, monkeypatch):
    monkeypatch.setattr(bambu_stream, "FRAME_TIME", 0.5)
    (tmp_path / "ffmpeg").write_text("#!/bin/sh\nsleep 60\n")

    with pytest.raises(NoAnswer, match="no frame within"):
        take(stream)


def test_program_that_cannot_run_is_named(stream, tmp_path, program):
    (tmp_path / "ffmpeg").write_text("#!/nonexistent/program\n")

    with pytest.raises(NotSent, match="ffmpeg does not start"):
        take(stream)


def test_old_program_is_named(stream, tmp_path, program):
    text = "[concat @ 0x1] Line 3: unknown keyword 'option'"
    (tmp_path / "ffmpeg").write_text(f'#!/bin/sh\necho "{text}" >&2\nexit 1\n')

    with pytest.raises(NotSent, match="older than version 5"):
        take(stream)


def test_code_is_not_sent_to_another_certificate(stream, program):
    with pytest.raises(CertificateChanged):
        take(stream, pins=CertificatePins(f"stream={'0' * 64}"))

    assert (stream.requests, program.exists()) == ([], False)


def test_address_outside_the_networks_is_not_reached(stream, program):
    with pytest.raises(AddressNotAllowed):
        take_frame(stream.address, CODE, (), CertificatePins())


def test_printer_without_a_stream_has_a_hint(program):
    with pytest.raises(NotSent, match="LAN Only Liveview"):
        take_frame(("127.0.0.1", CLOSED), CODE, HERE, CertificatePins())


# ---------------------------------------------------------------- the driver


def driver_of(stream: SimulatedStream, mqtt: int = CLOSED, ftps: int = CLOSED) -> Bambu:
    return Bambu("127.0.0.1", CODE, HERE, ports=BambuPorts(mqtt, ftps, CLOSED, stream.address[1]))


def test_driver_takes_a_frame_where_there_is_no_server_of_pictures(stream, program):
    driver = driver_of(stream)

    assert driver.camera() == PICTURE
    assert driver.camera() == PICTURE


def test_driver_without_ffmpeg_names_what_to_install(stream, no_program):
    with pytest.raises(NotSent, match="install ffmpeg on the agent's computer, or name the URL"):
        driver_of(stream).camera()
    assert stream.requests == []


def test_connection_test_pins_the_certificate_of_the_stream(stream):
    machine = SimulatedBambu()
    driver = driver_of(stream, machine.port, machine.ftps.port)

    driver.identify()

    assert {pin.partition("=")[0] for pin in driver.pins.text.split()} == {"ftps", "mqtt", "stream"}
    driver.close()
    machine.close()


# ---------------------------------------------------------------- ffmpeg itself


@pytest.mark.slow
@pytest.mark.skipif(not bambu_stream.is_available(), reason="ffmpeg is not installed")
def test_ffmpeg_writes_one_scaled_frame_of_a_list(tmp_path: Path):
    video, program = tmp_path / "a.mp4", str(shutil.which(bambu_stream.PROGRAM))
    source = ("-f", "lavfi", "-i", "testsrc=size=1680x1080:rate=5", "-t", "1")
    subprocess.run([program, "-v", "error", *source, str(video)], check=True)
    playlist = f"ffconcat version 1.0\nfile 'file:{video}'\noption analyzeduration 5\n".encode()
    arguments = [each.replace("pipe,tcp", "pipe,file") for each in bambu_stream.ARGUMENTS]

    done = subprocess.run([program, *arguments], input=playlist, capture_output=True, check=True)

    assert done.stdout.startswith(b"\xff\xd8\xff")
    assert done.stdout.count(b"\xff\xd8\xff") == 1
