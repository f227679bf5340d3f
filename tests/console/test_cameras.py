"""Pictures of cameras on the pages of printers and attempts."""

import base64
import io
import re
from datetime import timedelta

import pytest
from django.utils import timezone
from PIL import Image

from apps.console.domain.printers.camera_pictures import shown_picture
from apps.erp.models import Attempt, CameraPicture, Printer, Timelapse
from apps.erp.printing.services.cameras import _store_file
from core.files.blobs import create_row
from tests.console.test_printers import clear, driven, pack, printer, run  # noqa: F401
from tests.console.visitor import main_of
from tests.erp.agents.test_cameras import picture

KEY = re.compile(r'<img src="http://[^/]+(/camera/[^"]+\.jpg)"')


@pytest.fixture
def pictured(driven):  # noqa: F811
    """The page of a printer that prints, with a picture of its camera of 12 s ago."""
    at = timezone.now() - timedelta(seconds=12)
    CameraPicture.objects.create(printer=Printer.objects.get(), content=picture(), at=at)
    return driven[0]


def test_pages_show_the_newest_picture_with_its_age_and_watch_the_printer(ada, pictured):
    paths = {
        pictured: "2000",
        f"/attempt/{Attempt.objects.get().pk}/": "2000",
        "/printer/": "10000",
        "/printer/wall/": "10000",
        f"/location/{Printer.objects.get().location_id}/": "10000",
    }
    for path, interval in paths.items():
        Printer.objects.update(watched=None)

        page = ada.get(path)

        text = page.content.decode()
        shown = ada.get(KEY.search(text)[1])
        assert Image.open(io.BytesIO(shown.content)).size == (64, 48), path
        assert re.search(r"1[2-9] s ago", main_of(page)), path
        assert f'data-busy="{interval}"' in text, path
        assert Printer.objects.get().watched is not None, path


def test_pages_without_a_camera_show_none_and_tiles_watch_nothing(ada, driven):  # noqa: F811
    for path in ("/printer/", "/printer/wall/"):
        text = ada.get(path).content.decode()

        assert "/camera/" not in text
        assert "data-busy" not in text
    assert Printer.objects.get().watched is None
    assert "Picture of the camera" not in ada.get(driven[0]).content.decode()


def test_pictures_at_pauses_and_ends_are_on_the_page_of_the_attempt(
    ada,
    client_of,
    person,
    driven,  # noqa: F811
):
    attempt = Attempt.objects.get()
    row = Printer.objects.get()
    code = client_of("erp", person).post(f"{row.agent.uri}code/").json()["code"]
    token = client_of("erp").post("/agent/pair/", {"code": code}).json()["token"]
    agent = client_of("erp", HTTP_AUTHORIZATION=f"Bearer {token}")
    body = {"content": base64.b64encode(picture()).decode(), "attempt": attempt.name}
    path = f"/agent/camera/{row.pk}/"
    assert agent.put(path, {**body, "status": "paused"}).status_code == 200

    page = ada.get(f"/attempt/{attempt.pk}/")

    assert "Pictures of the camera Paused" in main_of(page)
    assert 'alt="Paused"' in page.content.decode()


def test_video_is_made_by_a_button_of_the_page_of_the_attempt(
    ada,
    driven,  # noqa: F811
    run_jobs,
):
    attempt = Attempt.objects.get()
    path = f"/attempt/{attempt.pk}/"
    assert "Timelapse" not in main_of(ada.get(path))
    assert "fewer than two pictures" in main_of(ada.send(path, action="timelapse"))
    for color in ("red", "blue"):
        key = create_row(*_store_file(picture(color=color)))
        attempt.pictures.create(status="printing", at=timezone.now(), content_id=key)
    assert "Make video" in main_of(ada.get(path))

    assert ada.send(path, action="timelapse").status_code == 303
    assert "The video is being made." in main_of(ada.get(path))
    run_jobs()

    page = ada.get(path)
    (video,) = Timelapse.objects.all()
    tag = "<video" if video.media_type == "video/mp4" else "<img"
    assert re.search(f'{tag}[^>]* src="http://files[^"]+/content/', page.content.decode())
    assert "media-src http://files" in page["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("seconds", "age"), [(-5, "0 s ago"), (59, "59 s ago"), (61, "1 min ago"), (7300, "2 h ago")]
)
def test_age_of_a_picture_has_one_unit(seconds, age):
    now = timezone.now()
    at = (now - timedelta(seconds=seconds)).isoformat()

    assert shown_picture({"content": "http://here/camera/a.jpg", "at": at}, now).age == age
