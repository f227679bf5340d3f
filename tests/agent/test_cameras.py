"""Pictures of cameras: by each driver, from the host alone, reduced, sent when they are wanted."""

import io
import json
from ipaddress import ip_network

import pytest
from PIL import Image

from agent.camera import MAX_SENT, Camera, fetch, own_urls, reduced
from agent.camera_worker import MAX_WAITING, CameraWorker
from agent.connections import camera_of
from agent.http_client import HttpClient
from agent.moonraker import Moonraker
from agent.octoprint import OctoPrint
from agent.platform_client import PlatformClient
from agent.prusalink import PrusaLink
from agent.state import Machine, StateDir
from machines.drivers import NoAnswer, NotSent, Rejected
from machines.states import AttemptState
from tests.agent.conftest import HERE, Host, hangs_up, says

PICTURE = b"\xff\xd8\xff\xe0 a picture"
PRINTER = "http://erp.here/printer/7/"


def answers(**bodies: object):
    """Answers paths by their beginning, with JSON or bytes; 404 for others."""

    def answer(handler):
        for path, body in bodies.items():
            if handler.path.startswith(path):
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                return says(200, content)(handler)
        return says(404)(handler)

    return answer


def octoprint(snapshot: str, **more: object):
    webcam = {"webcam": {"snapshotUrl": snapshot, **more}}
    return answers(**{"/api/settings": webcam, "/webcam/?action=snapshot": PICTURE})


def client_of(there: Host, key: str = "secret") -> HttpClient:
    return HttpClient(there.address, {"X-Api-Key": key}, HERE)


def test_octoprint_snapshot_is_read_at_the_address_of_the_host(host):
    there = host(octoprint("/webcam/?action=snapshot"))

    assert OctoPrint(client_of(there)).camera() == PICTURE


def test_octoprint_without_a_reachable_snapshot_uses_the_one_beside_its_stream(host):
    shown = "http://127.0.0.1:9/?action=snapshot"
    there = host(octoprint(shown, streamUrl="/webcam/?action=stream"))

    assert OctoPrint(client_of(there)).camera() == PICTURE


@pytest.mark.parametrize(
    "webcam",
    [None, {}, {"snapshotUrl": ""}, {"snapshotUrl": "/webcam/", "webcamEnabled": False}, [1]],
)
def test_octoprint_without_a_camera_has_no_picture(host, webcam):
    there = host(answers(**{"/api/settings": {"webcam": webcam}}))

    assert OctoPrint(client_of(there)).camera() is None


def test_moonraker_takes_the_first_enabled_webcam(host):
    webcams = [
        {"name": "off", "enabled": False, "snapshot_url": "/off"},
        {"name": "odd", "snapshot_url": 7},
        {"name": "on", "enabled": True, "snapshot_url": "/webcam2/snapshot"},
    ]
    there = host(
        answers(
            **{
                "/server/webcams/list": {"result": {"webcams": webcams}},
                "/webcam2/snapshot": PICTURE,
            }
        )
    )

    assert Moonraker(client_of(there)).camera() == PICTURE
    assert "GET /off" not in there.requests


@pytest.mark.parametrize("result", [None, {}, {"webcams": None}, {"webcams": [1, None, []]}])
def test_moonraker_without_a_camera_has_no_picture(host, result):
    there = host(answers(**{"/server/webcams/list": {"result": result}}))

    assert Moonraker(client_of(there)).camera() is None


def test_prusalink_snapshot_is_read_with_the_key(host):
    keys = []

    def answer(handler):
        keys.append(handler.headers["X-Api-Key"])
        answers(**{"/api/v1/cameras/snap": PICTURE})(handler)

    assert PrusaLink(client_of(host(answer))).camera() == PICTURE
    assert keys == ["secret"]


@pytest.mark.parametrize("status", [204, 404])
def test_prusalink_without_a_camera_has_no_picture(host, status):
    assert PrusaLink(client_of(host(says(status)))).camera() is None


@pytest.mark.parametrize(
    ("driver", "answer"),
    [
        (OctoPrint, says(403)),
        (OctoPrint, octoprint("/elsewhere")),
        (
            OctoPrint,
            answers(**{"/api/settings": {"webcam": {"snapshotUrl": "/a"}}, "/a": b"<svg>"}),
        ),
        (Moonraker, says(401)),
        (PrusaLink, says(401)),
        (PrusaLink, says(200, b"--frame")),
    ],
)
def test_error_and_other_content_are_rejected(host, driver, answer):
    with pytest.raises(Rejected):
        driver(client_of(host(answer))).camera()


def test_camera_that_hangs_up_is_no_answer(host):
    with pytest.raises(NoAnswer):
        fetch(client_of(host(hangs_up)), f"{host(hangs_up).address}/")


# ---------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("address", "place", "urls"),
    [
        ("http://10.0.0.7", "/webcam/?a=b", ["http://10.0.0.7/webcam/?a=b"]),
        ("http://10.0.0.7:7125", "/snap", ["http://10.0.0.7:7125/snap", "http://10.0.0.7/snap"]),
        ("http://10.0.0.7:5000", "http://127.0.0.1:8080/?x", ["http://10.0.0.7:8080/?x"]),
        ("http://10.0.0.7", "http://localhost/snap", ["http://10.0.0.7/snap"]),
        ("http://10.0.0.7", "http://me:word@10.0.0.7:81/a", ["http://10.0.0.7:81/a"]),
        ("http://[fd00::7]", "http://[::1]:8080/a", ["http://[fd00::7]:8080/a"]),
        ("http://pi.lan", "HTTP://PI.LAN/a", ["http://pi.lan/a"]),
    ],
)
def test_places_are_at_the_host(address, place, urls):
    assert own_urls(address, place) == urls


@pytest.mark.parametrize(
    "place",
    [
        "http://169.254.169.254/latest/meta-data",
        "//169.254.169.254/latest",
        "http://10.0.0.8/snap",
        "http://10.0.0.7@10.0.0.8/snap",
        "http://10.0.0.7.example.com/",
        "https://example.com/cat.jpg",
        "file:///etc/passwd",
        "ftp://10.0.0.7/a.jpg",
        "http://10.0.0.7:99999/",
        "http://[::1/",
    ],
)
def test_places_elsewhere_are_refused(place):
    with pytest.raises(Rejected):
        own_urls("http://10.0.0.7", place)


def test_one_place_elsewhere_leaves_the_others(host):
    there = host(answers(**{"/snap": PICTURE}))
    places = ["http://169.254.169.254/", "/snap"]

    assert Camera(client_of(there), lambda: places).picture() == PICTURE


def test_redirect_of_a_camera_is_not_followed_and_gets_no_key(host):
    keys = []

    def answer(handler):
        keys.append(handler.headers["X-Api-Key"])
        says(302, Location=elsewhere.address)(handler)

    elsewhere = host(answers(**{"/": PICTURE}))
    camera = Camera(client_of(host(answer)), lambda: ["/snap"])

    with pytest.raises(Rejected, match="302"):
        camera.picture()
    assert (keys, elsewhere.requests) == ([None], [])


def test_address_of_the_shop_must_be_in_its_networks(host, tmp_path):
    there = host(answers(**{"/snap": PICTURE}))
    folder = StateDir(tmp_path / "agent")
    machine = Machine(PRINTER, "octoprint", "http://10.0.0.7", "", camera=f"{there.address}/snap")
    with pytest.raises(NotSent, match="none of the shop's networks"):
        camera_of(machine, folder).take()

    folder.change(networks=["127.0.0.0/8"])

    assert camera_of(machine, folder).take() == PICTURE


def test_link_local_address_is_not_reached():
    client = HttpClient("http://169.254.169.254", {}, (ip_network("192.168.0.0/16"),))

    with pytest.raises(NotSent):
        fetch(client, "http://169.254.169.254/latest")


# ---------------------------------------------------------------- size


def noise(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.effect_noise((width, height), 60).convert("RGB").save(file, "JPEG", quality=95)
    return file.getvalue()


def test_large_picture_is_scaled_down():
    picture = noise(1920, 1080)
    assert len(picture) > MAX_SENT

    smaller = reduced(picture)

    assert len(smaller) <= MAX_SENT
    assert max(Image.open(io.BytesIO(smaller)).size) <= 1280


def test_small_picture_is_sent_as_it_is():
    assert reduced(PICTURE) is PICTURE


def test_large_picture_that_is_none_is_rejected():
    with pytest.raises(Rejected, match="cannot be read"):
        reduced(PICTURE + bytes(MAX_SENT))


# ---------------------------------------------------------------- when


class Sent:
    """A platform that keeps what it takes; `failures` are raised first."""

    def __init__(self, *failures: Exception):
        self.failures, self.bodies = list(failures), []

    def send_picture(self, printer, picture, ago, of=None) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.bodies.append((printer, picture, of))


def test_picture_is_sent_while_people_watch():
    platform = Sent()
    worker = CameraWorker(PRINTER, lambda: PICTURE, platform)
    worker.turn()
    assert platform.bodies == []

    worker.is_watched = True
    worker.turn()

    assert platform.bodies == [(PRINTER, PICTURE, None)]


def test_pauses_and_ends_are_pictured_and_other_states_are_not():
    platform = Sent()
    worker = CameraWorker(PRINTER, lambda: PICTURE, platform)
    for state in (AttemptState.PRINTING, AttemptState.PAUSED, AttemptState.DONE):
        worker.note("a.gcode", state)

    worker.turn()

    assert [of for _, _, of in platform.bodies] == [("a.gcode", "paused"), ("a.gcode", "done")]


def test_frames_of_a_timelapse_are_sent_at_their_interval(monkeypatch):
    platform, now = Sent(), [1000.0]
    monkeypatch.setattr("agent.camera_worker.time.monotonic", lambda: now[0])
    worker = CameraWorker(PRINTER, lambda: PICTURE, platform)
    worker.frames = ("a.gcode", 10.0)
    for now[0] in (1000.0, 1002.0, 1009.9, 1010.0, 1012.0):
        worker.turn()
    worker.frames = None
    now[0] = 1030.0
    worker.turn()

    assert platform.bodies == [(PRINTER, PICTURE, ("a.gcode", "printing"))] * 2


def test_live_pictures_that_are_not_taken_delay_no_frames_and_the_other_way_round(monkeypatch):
    platform, now = Sent(NotSent("429")), [1000.0]
    monkeypatch.setattr("agent.camera_worker.time.monotonic", lambda: now[0])
    worker = CameraWorker(PRINTER, lambda: PICTURE, platform)
    worker.is_watched, frame = True, ("a.gcode", "printing")
    worker.turn()
    worker.frames = ("a.gcode", 10.0)
    now[0] = 1002.0
    worker.turn()
    assert [of for _, _, of in platform.bodies] == [frame]

    platform.failures.append(NotSent("429"))
    now[0] = 1012.0
    worker.turn()

    assert [of for _, _, of in platform.bodies] == [frame, None]


def test_picture_of_an_end_waits_for_the_platform(monkeypatch):
    monkeypatch.setattr("agent.camera_worker.BACK_OFF", 0.0)
    platform, taken = Sent(NoAnswer("busy")), iter((PICTURE, b"later"))
    worker = CameraWorker(PRINTER, lambda: next(taken), platform)
    worker.note("a.gcode", AttemptState.DONE)
    worker.turn()
    assert platform.bodies == []

    worker.turn()

    assert platform.bodies == [(PRINTER, PICTURE, ("a.gcode", "done"))]


def test_end_without_a_camera_or_rejected_is_not_tried_again():
    pictures = [None, PICTURE, PICTURE]
    platform = Sent(Rejected("no such attempt"))
    worker = CameraWorker(PRINTER, lambda: pictures.pop(0), platform)
    worker.note("a.gcode", AttemptState.DONE)
    worker.note("b.gcode", AttemptState.DONE)

    worker.turn()
    worker.turn()

    assert (platform.bodies, pictures) == ([], [PICTURE])


def test_camera_is_released_once_after_the_last_picture(monkeypatch):
    released, now = [], [1000.0]
    monkeypatch.setattr("agent.camera_worker.time.monotonic", lambda: now[0])
    worker = CameraWorker(PRINTER, lambda: PICTURE, Sent(), lambda: released.append(now[0]))
    worker.turn()
    worker.is_watched = True
    for now[0] in (1002.0, 1004.0):
        worker.turn()
    worker.is_watched = False
    for now[0] in (1006.0, 1018.0, 1019.0, 1040.0):
        worker.turn()

    assert released == [1019.0]


def test_camera_is_released_at_the_end_of_its_worker():
    released, turns = [], iter((True, False))
    worker = CameraWorker(PRINTER, lambda: PICTURE, Sent(), lambda: released.append(True))
    worker.is_watched = True
    worker.note("a.gcode", AttemptState.DONE)

    worker.run(lambda: next(turns))

    assert released == [True]


def test_waiting_pictures_are_bounded():
    worker = CameraWorker(PRINTER, lambda: PICTURE, Sent(NoAnswer("away")))
    for number in range(MAX_WAITING + 5):
        worker.note(f"{number}.gcode", AttemptState.DONE)

    worker.turn()

    assert len(worker._waiting) == MAX_WAITING


def test_platform_takes_a_picture_of_an_attempt(host):
    there = host(says(200, b'{"at": "now"}'))

    PlatformClient(there.address, "token").send_picture(PRINTER, PICTURE, 1.5, ("a", "done"))

    assert there.requests == ["PUT /agent/camera/7/"]
