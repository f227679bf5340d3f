"""Scanning: the code of a label leads to its page, from the page for it and from the search."""

import io
import struct
import zlib
from urllib.parse import urlsplit

import pytest
import segno
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image, ImageFilter

from apps.erp.models import Bureau, Location, Material, Order, Piece
from core.web import pictures, rate_limits
from tests.console.visitor import main_of


@pytest.fixture
def piece(confirmed) -> Piece:
    """A piece of a confirmed order."""
    return Piece.objects.order_by("number").first()


def test_code_of_a_label_leads_to_its_page(ada, piece, client_of, person):
    path = urlsplit(piece.uri).path
    order = urlsplit(Order.objects.get().uri).path
    body = {
        "location": Location.objects.get().uri,
        "material": Material.objects.get().uri,
        "lot": "L-2026-7",
        "initial": 1000,
    }
    lot = client_of("erp", person).post("/stock/", body).headers["Location"]
    codes = {
        f"http://platform.test{path}": path,
        f"http://print-server.local:8000{path.rstrip('/')}": path,
        str(piece.pk): path,
        piece.uri: path,
        "#1": order,
        "L-2026-7": urlsplit(lot).path,
    }

    for code, target in codes.items():
        answer = ada.get("/scan/", {"q": code})
        assert (answer.status_code, answer["Location"]) == (303, target), code
    assert ada.get("/search/", {"q": f"http://platform.test{path}"})["Location"] == path


def test_unknown_code_is_explained_and_kept_in_the_field(ada, shop):
    answer = ada.get("/scan/", {"q": "X-77"})

    assert answer.status_code == 404
    assert "No page has the code “X-77”" in main_of(answer)
    assert 'value="X-77"' in answer.content.decode()


def test_scan_is_in_the_rail_and_the_bottom_bar(ada, shop):
    page = ada.get("/scan/").content.decode()

    assert Bureau.objects.exists()
    assert page.count('href="/scan/"') == 2
    assert 'action="/scan/"' in page


# ---------------------------------------------------------------- photos


def photo_of(text: str, form: str = "JPEG", **options) -> bytes:
    """A photo of a label: turned, not sharp, in a large picture."""
    label = io.BytesIO()
    segno.make_qr(text, error="m").save(label, kind="png", scale=6)
    photo = Image.new("L", (1600, 1200), 90)
    code = Image.open(label).convert("L").rotate(17, expand=True, fillcolor=90)
    photo.paste(code, (700, 400))
    taken = io.BytesIO()
    photo.filter(ImageFilter.GaussianBlur(1.5)).save(taken, form, **options)
    return taken.getvalue()


def send(browser, content: bytes):
    return browser.send("/scan/", photo=SimpleUploadedFile("label.jpg", content, "image/jpeg"))


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_photo_of_a_label_leads_to_its_page(ada, piece, form):
    path = urlsplit(piece.uri).path

    answer = send(ada, photo_of(f"http://print-server.local:8000{path}", form))

    assert (answer.status_code, answer["Location"]) == (303, path)


def test_photo_of_a_transparent_code_is_read(ada, piece):
    drawn = io.BytesIO()
    segno.make_qr(str(piece.pk)).save(drawn, kind="png", scale=6, light=None)

    assert send(ada, drawn.getvalue())["Location"] == urlsplit(piece.uri).path


def test_photo_of_an_unknown_code_says_which(ada, shop):
    answer = send(ada, photo_of("X-77"))

    assert answer.status_code == 404
    assert "No page has the code “X-77”" in main_of(answer)


def huge_png() -> bytes:
    """The head of a picture of 2.5 gigapixels."""
    head = b"IHDR" + struct.pack(">IIBBBBB", 50_000, 50_000, 8, 0, 0, 0, 0)
    data = b"IDAT" + zlib.compress(bytes(1000))
    chunks = [
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in (head, data, b"IEND")
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


UNREADABLE = "The photo cannot be read."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"GIF89a, or so", UNREADABLE, id="no photo"),
        pytest.param(photo_of("X-77", quality=90)[:9000], UNREADABLE, id="cut off"),
        pytest.param(huge_png(), UNREADABLE, id="too many pixels"),
    ],
)
def test_photo_that_cannot_be_read_is_explained(ada, shop, content, message):
    answer = send(ada, content)

    assert answer.status_code == 400
    assert message in main_of(answer)


def test_photo_without_a_code_is_explained(ada, shop):
    empty = io.BytesIO()
    Image.effect_noise((1600, 1200), 40).save(empty, "JPEG")

    answer = send(ada, empty.getvalue())

    assert answer.status_code == 400
    assert "No code was found in the photo." in main_of(answer)
    assert "Take or choose a photo first." in main_of(ada.send("/scan/"))


def test_photo_waits_for_those_of_others_only_for_a_while(ada, shop, monkeypatch):
    monkeypatch.setattr(pictures, "WAIT", 0.01)
    with pictures._DECODING:
        answer = send(ada, photo_of("X-77"))

    assert answer.status_code == 429
    assert "Other photos are being read." in main_of(answer)
    assert send(ada, photo_of("X-77")).status_code == 404


class QuickSandbox:
    """One whose job has an answer at once."""

    def __init__(self, _module: str, limits: object):
        pass

    def run(self, _job: str, content: str) -> list[str]:
        return []

    def close(self) -> None:
        pass


def test_account_sends_a_few_photos_at_once(ada, shop, monkeypatch):
    monkeypatch.setattr(pictures, "Sandbox", QuickSandbox)
    monkeypatch.setattr(rate_limits.time, "monotonic", lambda: 1e6)

    answers = [send(ada, b"a photo").status_code for _ in range(6)]

    assert answers == [400] * 4 + [429] * 2


def test_photo_of_a_stranger_leads_to_the_sign_in(browser):
    answer = send(browser, photo_of("X-77"))

    assert answer.status_code == 303
    assert answer["Location"].startswith("/sign-in/")
