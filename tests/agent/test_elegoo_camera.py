"""Pictures of the camera of a simulated Elegoo printer, whose video SDCP switches on and off."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

import pytest

from agent.camera_worker import CameraWorker
from agent.connections import camera_of
from agent.elegoo import Elegoo, ElegooPorts
from agent.elegoo_camera import VIDEO
from agent.state import Machine, StateDir
from machines.drivers import NoAnswer, NotSent, Rejected
from tests.agent.conftest import HERE, Host, says
from tests.agent.simulated_elegoo import SimulatedElegoo
from tests.agent.simulated_mjpeg import PICTURE, MjpegStream
from tests.waiting import wait_for

PRINTER = "http://erp.here/printer/1/"


class VideoShop(NamedTuple):
    """A simulated printer, its stream, and the driver of its camera."""

    machine: SimulatedElegoo
    stream: MjpegStream
    host: Host
    driver: Elegoo

    @property
    def video(self) -> str:
        return f"{self.host.address}/video"


@pytest.fixture
def shop(host: Callable[..., Host]) -> Iterator[VideoShop]:
    """A printer whose stream answers 503 while the video is off."""
    machine, stream = SimulatedElegoo(), MjpegStream()
    there = host(lambda handler: (stream if machine.is_video_on else says(503))(handler))
    ports = ElegooPorts(machine.port, video=there.server.server_port)
    driver = Elegoo("127.0.0.1", HERE, ports)
    yield VideoShop(machine, stream, there, driver)
    driver.close()
    machine.close()


def url_of(shop: VideoShop, form: str) -> object:
    """The URL of the stream, as a printer may write it."""
    forms = {"full": shop.video, "no scheme": shop.video.removeprefix("http://"), "empty": ""}
    return forms.get(form)


@pytest.mark.parametrize("form", ["full", "no scheme", "empty", "none"])
def test_video_is_switched_on_for_its_first_picture(shop, form):
    shop.machine.video_url = url_of(shop, form)

    assert shop.driver.camera() == PICTURE
    assert shop.driver.camera() == PICTURE

    assert shop.machine.commands == [VIDEO]
    assert shop.host.requests == ["GET /video"] * 2
    wait_for(lambda: shop.stream.watchers == 0)


def test_video_is_switched_off_and_the_connection_closed(shop):
    shop.driver.camera()

    shop.driver.release_camera()

    assert shop.machine.commands == [VIDEO, VIDEO]
    assert not shop.machine.is_video_on
    wait_for(lambda: not shop.machine.connections)


def test_camera_that_was_not_used_is_released_without_a_connection(shop):
    shop.driver.release_camera()

    assert shop.machine.commands == []


def test_video_that_the_printer_switched_off_is_switched_on_again(shop):
    shop.driver.camera()
    shop.machine.is_video_on = False
    with pytest.raises(NoAnswer, match="503"):
        shop.driver.camera()

    assert shop.driver.camera() == PICTURE


def test_video_is_switched_on_after_a_lost_connection(shop):
    shop.driver.camera()
    shop.machine.is_video_on = False
    shop.machine.hang_up()
    for _ in range(2):
        with suppress(NoAnswer, NotSent):
            shop.driver.camera()

    assert shop.driver.camera() == PICTURE


def test_printer_that_is_named_by_its_name_may_name_its_address(shop):
    ports = ElegooPorts(shop.machine.port)
    driver = Elegoo("printer.localhost", HERE, ports)
    shop.machine.video_url = shop.video.removeprefix("http://")

    assert driver.camera() == PICTURE
    driver.close()


@pytest.mark.parametrize(
    ("code", "text"),
    [(1, "close another one"), (2, "no camera"), (3, "command 386: code 3"), ("a", "code a")],
)
def test_reason_is_named_where_the_video_cannot_be_switched_on(shop, code, text):
    shop.machine.video_code = code

    with pytest.raises(Rejected, match=text):
        shop.driver.camera()
    assert shop.host.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data",
        "192.168.1.7:3031/video",
        "http://127.0.0.1@10.0.0.8/video",
        "file:///etc/passwd",
        "rtsp://127.0.0.1:554/video",
        "http://[::1/",
        "127.0.0.1:99999/video",
    ],
)
def test_stream_elsewhere_is_refused(shop, url):
    shop.machine.video_url = url

    with pytest.raises(Rejected):
        shop.driver.camera()
    assert shop.host.requests == []


@pytest.mark.parametrize("url", [7, None, ["http://169.254.169.254/"], {}])
def test_url_that_is_no_text_is_replaced_by_the_usual_one(shop, url):
    shop.machine.video_url = url

    assert shop.driver.camera() == PICTURE


class Pictures:
    """A platform that counts the pictures that it takes."""

    def __init__(self) -> None:
        self.count = 0

    def send_picture(self, printer, picture, ago, of=None) -> None:
        self.count += 1


def test_video_is_off_when_nobody_watches(shop, tmp_path, monkeypatch):
    monkeypatch.setattr("agent.camera_worker.EVERY", 0.01)
    monkeypatch.setattr("agent.camera_worker.RELEASE_AFTER", 0.1)
    folder = StateDir(tmp_path / "agent")
    folder.change(networks=["127.0.0.0/8"])
    shop.machine.video_url = shop.video
    machine = Machine(PRINTER, "elegoo", f"http://127.0.0.1:{shop.machine.port}", "")
    source, platform, is_over = camera_of(machine, folder), Pictures(), threading.Event()
    worker = CameraWorker(PRINTER, source.take, platform, source.release)
    thread = threading.Thread(target=worker.run, args=(lambda: not is_over.is_set(),))
    thread.start()
    worker.is_watched = True
    wait_for(lambda: platform.count >= 2)
    assert shop.machine.is_video_on

    worker.is_watched = False

    wait_for(lambda: not shop.machine.is_video_on and not shop.machine.connections)
    is_over.set()
    thread.join()
