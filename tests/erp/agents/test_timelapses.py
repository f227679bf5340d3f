"""Timelapses: frames of a print, thinned and limited, and videos of them."""

import os
from datetime import timedelta

import pytest
from django.utils import timezone
from PIL import Image

from apps.erp.actors import prune_camera_pictures
from apps.erp.models import Attempt, AttemptPicture, Printer, Timelapse
from apps.erp.printing.services import timelapses
from core.files import blobs
from core.web import rate_limits
from tests.erp.agents import test_cameras
from tests.erp.agents.conftest import code_of, report
from tests.erp.agents.test_cameras import picture
from tests.erp.conftest import key_of

send, printing, fresh_rates = test_cameras.send, test_cameras.printing, test_cameras.fresh_rates


@pytest.fixture
def frame(send, printing):
    """`frame(color)`: the answer to a frame of the print, a while after the last one."""
    Printer.objects.update(timelapse=True)

    def put(color: str, **more):
        test_cameras.rate_limits._buckets.clear()
        earlier = timedelta(seconds=60)
        for row in AttemptPicture.objects.all():
            AttemptPicture.objects.filter(pk=row.pk).update(at=row.at - earlier)
        content = picture((1280, 960), color)
        return send(content, attempt=printing["name"], status="printing", **more)

    return put


def test_agent_is_told_the_interval_of_frames_which_doubles(erp, see, machine, printing):
    def interval() -> int | None:
        answer = see(machine, "printing", report(printing, "printing"), job=printing["name"])
        return answer["attempts"][0]["frame_interval"]

    assert interval() is None
    assert erp.put(machine["uri"], {"timelapse": True}).status_code == 204
    assert interval() == 10
    for hours, seconds in ((0.6, 20), (20, 640)):
        Attempt.objects.update(began=timezone.now() - timedelta(hours=hours))
        assert interval() == seconds


def test_frames_are_small_thinned_and_no_pictures_of_pauses(erp, frame, printing, monkeypatch):
    monkeypatch.setattr(timelapses, "MAX_FRAMES", 4)
    Attempt.objects.update(began=timezone.now())

    for color in ("red", "green", "blue", "white", "black"):
        assert frame(color).status_code == 200

    rows = AttemptPicture.objects.order_by("at")
    assert len(rows) == 3  # of four every second one was deleted
    with blobs.local_copy(rows[0].content_id) as path, Image.open(path) as image:
        assert image.size == (960, 720)
    assert erp.get(f"{printing['uri']}pictures/").json()["resources"] == []
    assert erp.get(f"{printing['uri']}timelapse/").json()["pictures"] == 3


def test_frames_that_nobody_wants_are_refused(frame, send, printing, monkeypatch):
    assert frame("red").status_code == 200
    early = send(picture(), attempt=printing["name"], status="printing")
    assert (early.status_code, code_of(early)) == (409, "no-timelapse")

    monkeypatch.setattr(timelapses, "MAX_BUREAU_BYTES", 100)
    assert code_of(frame("blue")) == "limit-reached"
    Printer.objects.update(timelapse=False)
    answer = frame("blue")
    assert (answer.status_code, code_of(answer)) == (409, "no-timelapse")


def test_frames_and_live_pictures_are_limited_apart(erp, send, machine, printing):
    Printer.objects.update(timelapse=True)
    assert erp.post(f"{machine['uri']}watch/", {}).status_code == 200
    bureau = Printer.objects.get(pk=key_of(machine)).bureau_id
    frame = {"attempt": printing["name"], "status": "printing"}
    live = "live pictures"
    rate_limits._buckets[f"{live} of {bureau}"] = rate_limits.TokenBucket(-100.0)

    assert send(picture(), **frame).status_code == 200

    assert send(picture()).status_code == 429
    del rate_limits._buckets[f"{live} of {bureau}"]
    rate_limits._buckets[f"pictures of attempts of {bureau}"] = rate_limits.TokenBucket(-100.0)
    assert send(picture()).status_code == 200
    Attempt.objects.update(began=timezone.now())
    AttemptPicture.objects.update(at=timezone.now() - timedelta(seconds=60))
    assert send(picture(), **frame).status_code == 429


def test_video_is_made_on_request_as_webp_without_ffmpeg(
    erp, client_of, stranger, frame, printing, run_jobs, monkeypatch
):
    monkeypatch.setenv("PATH", "/nowhere")
    uri, make = (f"{printing['uri']}{name}/" for name in ("timelapse", "make-timelapse"))
    assert client_of("erp", stranger).post(make).status_code == 404
    assert code_of(erp.post(make)) == "no-frames"
    for color in ("red", "blue", "white"):
        assert frame(color).status_code == 200

    assert [erp.post(make).status_code for _ in range(2)] == [202, 202]
    assert erp.get(uri).json()["status"] == "processing"
    run_jobs()

    video = erp.get(uri).json()
    assert (video["status"], video["media_type"]) == ("processed", "image/webp"), video
    row = Timelapse.objects.get()
    with blobs.local_copy(row.content_id) as path, Image.open(path) as image:
        assert (image.n_frames, image.size) == (3, (640, 480))
    assert video["content"].endswith(".webp") or ".webp" in video["content"]


def test_video_is_an_mp4_where_ffmpeg_is_installed(
    erp, frame, printing, run_jobs, tmp_path, monkeypatch
):
    program = tmp_path / "ffmpeg"
    program.write_text('#!/bin/sh\nfor last; do :; done\nls *.jpg | tr "\\n" " " > "$last"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.environ["PATH"])
    for color in ("red", "blue"):
        assert frame(color).status_code == 200

    erp.post(f"{printing['uri']}make-timelapse/")
    run_jobs()

    assert erp.get(f"{printing['uri']}timelapse/").json()["media_type"] == "video/mp4"
    with blobs.local_copy(Timelapse.objects.get().content_id) as path:
        assert path.read_text().split() == ["0000.jpg", "0001.jpg"]

    program.write_text("#!/bin/sh\nexit 1\n")
    erp.post(f"{printing['uri']}make-timelapse/")
    run_jobs()
    assert erp.get(f"{printing['uri']}timelapse/").json()["media_type"] == "image/webp"


def test_frames_are_deleted_a_week_after_the_end(frame, printing):
    frame("red")
    attempt = Attempt.objects.get()
    Timelapse.objects.create(key=attempt.pk.hex, attempt=attempt)
    for days, left in ((6, (1, 1)), (8, (0, 1)), (366, (0, 0))):
        Attempt.objects.update(ended=timezone.now() - timedelta(days=days))

        prune_camera_pictures()

        assert (AttemptPicture.objects.count(), Timelapse.objects.count()) == left
