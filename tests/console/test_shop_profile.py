"""Profile and brand of the shop in the settings."""

import io

from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from tests.console.visitor import main_of


def picture() -> SimpleUploadedFile:
    file = io.BytesIO()
    Image.new("RGB", (64, 64), (200, 30, 30)).save(file, "PNG")
    return SimpleUploadedFile("logo.png", file.getvalue(), "image/png")


def test_profile_is_changed(ada, shop):
    answer = ada.send(
        "/settings/", name="Nordform", email="hallo@nordform.example", currency="EUR", language="de"
    )

    assert answer["Location"] == "/settings/?done=saved"
    page = ada.get("/settings/").content.decode()
    assert 'value="hallo@nordform.example"' in page
    assert 'value="Nordform"' in page


def test_brand_is_shown_in_the_frame(ada, shop):
    answer = ada.send("/settings/", accent="#0b5f40", introduction="Parts.", logo=picture())

    assert answer.status_code == 303
    page = ada.get("/settings/").content.decode()
    assert page.count('class="logo"') == 4  # rail, top bar, form, preview
    assert ".css?v=0b5f40" in page
    assert "Contrast 7.7 : 1 on white" in page


def test_refused_brand_is_explained_at_its_field(ada, shop):
    broken = SimpleUploadedFile("logo.png", b"no picture", "image/png")

    answer = ada.send("/settings/", accent="#0b5f40", logo=broken)
    assert answer.status_code == 400
    assert "The logo cannot be read" in main_of(answer)

    answer = ada.send("/settings/", accent="#ff8800")
    assert answer.status_code == 400
    assert "2.4 : 1" in main_of(answer)


def test_automatic_documents_are_set(ada, shop):
    assert "Issue invoices" in main_of(ada.get("/settings/"))

    answer = ada.send("/settings/", automatic_quotes="on", automatic_invoices="shipped")

    assert answer["Location"] == "/settings/?done=saved"
    page = ada.get("/settings/").content.decode()
    assert '<option value="shipped" selected>' in page
    assert 'id="id_automatic_quotes" checked' in page
    wrong = ada.send("/settings/", automatic_invoices="sometimes")
    assert wrong.status_code == 400
