"""Pictures of cameras: sent by agents, checked, shown, stored at pauses and ends, deleted."""

import base64
import io
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from PIL import Image

from apps.erp.actors import prune_camera_pictures
from apps.erp.models import Attempt, AttemptPicture, CameraPicture
from core.web import rate_limits
from tests.erp.agents.conftest import code_of, report


@pytest.fixture(autouse=True)
def fresh_rates():
    rate_limits._buckets.clear()


def picture(size=(64, 48), color="red", file_format="JPEG", mode="RGB", **options) -> bytes:
    file = io.BytesIO()
    Image.new(mode, size, color).save(file, file_format, **options)
    return file.getvalue()


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def fetch(location: str):
    return Client().get(location, headers={"host": "platform.test"})


@pytest.fixture
def send(agent, machine):
    """`send(content, **more)`: the answer to a picture of the machine that the agent sends."""

    def put(content: bytes, *, printer: str = "", client=agent, **more):
        key = (printer or machine["uri"]).rstrip("/").rpartition("/")[2]
        return client.put(f"/agent/camera/{key}/", {"content": encoded(content), **more})

    return put


@pytest.fixture
def watched(erp, machine) -> dict:
    assert erp.post(f"{machine['uri']}watch/", {}).status_code == 200
    return machine


@pytest.fixture
def printing(agent, see, machine, attempt) -> dict:
    """The attempt, under way."""
    see(machine, "idle", report(attempt, "sent", boot="b"))
    assert agent.post("/agent/permit/", {"name": attempt["name"]}).status_code == 200
    see(machine, "printing", report(attempt, "printing"), job=attempt["name"])
    return attempt


def test_picture_of_a_watched_printer_is_shown_without_its_metadata(erp, watched, send):
    exif = Image.Exif()
    exif[0x010E] = "workshop of Ada"
    assert erp.get(f"{watched['uri']}camera/").status_code == 404

    answer = send(picture(exif=exif))

    assert answer.status_code == 200, answer.json()
    shown = erp.get(f"{watched['uri']}camera/").json()
    assert shown["at"] == answer.json()["at"]
    assert erp.get(watched["uri"]).json()["camera"]["at"] == shown["at"]
    response = fetch(shown["content"])
    assert response["Content-Type"] == "image/jpeg"
    assert b"Ada" not in response.content
    assert Image.open(io.BytesIO(response.content)).size == (64, 48)


def test_picture_that_nobody_watches_is_refused(send):
    answer = send(picture())

    assert (answer.status_code, code_of(answer)) == (409, "not-watched")
    assert not CameraPicture.objects.exists()


def test_second_picture_within_two_seconds_is_refused(watched, send):
    assert send(picture()).status_code == 200

    answer = send(picture(color="blue"))

    assert (answer.status_code, code_of(answer)) == (429, "rate-limited")
    CameraPicture.objects.update(at=timezone.now() - timedelta(seconds=2))
    assert send(picture(color="blue")).status_code == 200
    assert CameraPicture.objects.count() == 1


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "unreadable-picture"),
        (lambda: b"\xff\xd8\xff\xe0 not a picture", "unreadable-picture"),
        (lambda: picture(file_format="GIF"), "unreadable-picture"),
        (lambda: picture((20_000, 20_000), 1, "PNG", mode="1"), "unreadable-picture"),
        (lambda: picture((5_000, 5_000), 1, "PNG", mode="1"), "unreadable-picture"),
        (lambda: b"\xff\xd8" + bytes(200_000), "picture-too-large"),
        (bytes, "missing-parameter"),
    ],
    ids=["svg", "damaged", "gif", "bomb", "many-pixels", "bytes", "empty"],
)
def test_hostile_pictures_are_refused(watched, send, content, code):
    answer = send(content())

    assert answer.status_code == 400
    assert code_of(answer) == code
    assert not CameraPicture.objects.exists()


def test_large_picture_is_scaled_down(erp, watched, send):
    assert send(picture(size=(2560, 1440))).status_code == 200

    response = fetch(erp.get(f"{watched['uri']}camera/").json()["content"])

    assert Image.open(io.BytesIO(response.content)).size == (1280, 720)


def test_agent_sends_pictures_of_its_own_printers_alone(watched, send, pair, location):
    other = pair(location, "Other")[1]

    assert send(picture(), client=other).status_code == 404
    assert not CameraPicture.objects.exists()


def test_stranger_reads_no_picture(client_of, stranger, watched, printing, send):
    send(picture())
    there = client_of("erp", stranger)

    assert there.get(f"{watched['uri']}camera/").status_code == 404
    assert there.get(f"{printing['uri']}pictures/").status_code == 404


def test_location_of_a_picture_expires_and_cannot_be_made_up(erp, watched, send, monkeypatch):
    send(picture())
    content = erp.get(f"{watched['uri']}camera/").json()["content"]
    assert fetch(content).status_code == 200
    assert fetch(content.replace("/camera/", "/camera/x")).status_code == 404
    later = timezone.now() + timedelta(minutes=3)
    monkeypatch.setattr(timezone, "now", lambda: later)

    assert fetch(content).status_code == 404


def test_pictures_at_pauses_and_at_the_end_are_stored_with_the_attempt(erp, send, printing):
    name = printing["name"]
    for color, status in (("red", "paused"), ("blue", "done"), ("blue", "done")):
        answer = send(picture(color=color), attempt=name, status=status, ago=3)
        assert answer.status_code == 200, answer.json()

    rows = erp.get(f"{printing['uri']}pictures/").json()["resources"]

    assert [row["status"] for row in rows] == ["paused", "done"]
    assert "/content/" in rows[0]["content"]
    assert erp.get(printing["printer"]).json()["camera"]["at"] >= rows[1]["at"]


def test_pictures_of_an_attempt_are_limited(send, printing, monkeypatch):
    monkeypatch.setattr("apps.erp.printing.services.cameras.MAX_PICTURES", 1)
    assert send(picture(), attempt=printing["name"], status="paused").status_code == 200

    answer = send(picture(color="blue"), attempt=printing["name"], status="paused")

    assert (answer.status_code, code_of(answer)) == (409, "too-many-pictures")


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"status": "done"}, 400),
        ({"attempt": "x.gcode"}, 400),
        ({"attempt": "x.gcode", "status": "armed"}, 400),
        ({"attempt": "x.gcode", "status": "done"}, 404),
        ({"ago": -1}, 400),
    ],
)
def test_pictures_of_odd_attempts_are_refused(send, watched, more, status):
    assert send(picture(), **more).status_code == status


def test_pictures_are_deleted_after_a_day_and_those_of_attempts_after_a_year(send, printing):
    send(picture(), attempt=printing["name"], status="done")
    now = timezone.now()
    Attempt.objects.update(ended=now - timedelta(days=364))
    CameraPicture.objects.update(at=now - timedelta(hours=23))
    prune_camera_pictures()
    assert (CameraPicture.objects.count(), AttemptPicture.objects.count()) == (1, 1)
    Attempt.objects.update(ended=now - timedelta(days=366))
    CameraPicture.objects.update(at=now - timedelta(hours=25))

    prune_camera_pictures()

    assert (CameraPicture.objects.count(), AttemptPicture.objects.count()) == (0, 0)
