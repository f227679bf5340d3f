"""Brand of a bureau: accent color, logo, and what is served to everybody."""

import base64
import io

import pytest
from django.test import Client
from PIL import Image


def picture(kind: str = "PNG", size: tuple[int, int] = (800, 400)) -> str:
    file = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(file, kind, comment=b"private note")
    return base64.b64encode(file.getvalue()).decode()


def test_accent_is_served_as_one_rule(erp, bureau):
    assert erp.put(bureau["uri"], {"accent": "#0B5F40"}).status_code == 204
    body = erp.get(bureau["uri"]).json()

    answer = Client().get(body["style"], headers={"host": "platform.test"})

    assert answer.content == b":root { --accent: #0b5f40; }\n"
    assert answer["Content-Type"] == "text/css"
    headers = {"host": "platform.test", "if-none-match": answer["ETag"]}
    assert Client().get(body["style"], headers=headers).status_code == 304


def test_accent_of_low_contrast_is_refused_with_its_ratio(erp, bureau):
    answer = erp.put(bureau["uri"], {"accent": "#ff8800"})

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["code"] == "low-contrast"
    assert "2.4 : 1" in error["title"]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://", "example.com"])
def test_website_is_a_web_address(erp, bureau, url):
    assert erp.put(bureau["uri"], {"website": url}).status_code == 400


def test_logo_is_drawn_anew_and_served(erp, bureau):
    address = f"{bureau['uri']}logo/"

    assert erp.put(address, {"content": picture("JPEG")}).status_code == 204

    logo = erp.get(bureau["uri"]).json()["logo"]
    answer = Client().get(logo, headers={"host": "platform.test"})
    assert answer["Content-Type"] == "image/png"
    image = Image.open(io.BytesIO(answer.content))
    assert (image.format, image.size) == ("PNG", (512, 256))
    assert b"private note" not in answer.content

    assert erp.delete(address).status_code == 204
    assert erp.get(bureau["uri"]).json()["logo"] is None
    assert Client().get(logo, headers={"host": "platform.test"}).status_code == 404


@pytest.mark.parametrize("content", [b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"\x89PNG\r\n"])
def test_logo_that_is_no_picture_is_refused(erp, bureau, content):
    body = {"content": base64.b64encode(content).decode()}

    answer = erp.put(f"{bureau['uri']}logo/", body)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "unreadable-picture"


def test_only_who_manages_a_bureau_changes_its_logo(bureau, client_of, stranger):
    answer = client_of("erp", stranger).put(f"{bureau['uri']}logo/", {"content": picture()})

    assert answer.status_code == 404
