"""The API's pages, `/docs/`: readable by everybody, and a place to try requests out."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.scenarios import Hand, faults_of, register
from tests.live.processes import DOMAIN

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("scheme", "width", "paths"),
    [
        ("light", 1600, ("models/", "users/docs/sessions/")),
        ("dark", 1600, ("models/docs/model/",)),
        ("light", 360, ("models/docs/model/",)),
        ("dark", 360, ("models/", "users/docs/sessions/")),
    ],
)
def test_api_reference_pages_are_accessible(visit, platform, scheme, width, paths):
    page, faults = visit(color_scheme=scheme, viewport={"width": width, "height": 800}), []
    for path in paths:
        page.goto(platform.url(path))
        faults += faults_of(page, path)

    assert faults == []


def test_search_of_every_api_reference_page_works_with_script(visit, platform):
    page = visit()
    for path in ("models/docs/", "models/docs/model/", "models/docs/all/"):
        page.goto(platform.url(path))
        page.get_by_role("searchbox", name="Search").fill("upload")
        page.get_by_role("button", name="Find").click()

        expect(page).to_have_url(re.compile(r"/docs/\?q=upload$"))
        expect(page.get_by_role("heading", name="with upload")).to_be_visible()


def test_api_reference_sends_requests_from_the_page(visit, platform):
    page = visit()
    page.goto(platform.url("models/docs/model/"))
    create = page.get_by_role("region", name="Create a model", exact=True)
    create.get_by_text("Try it").click()
    expect(create.get_by_role("link", name="Sign in")).to_be_visible()

    page.goto(f"http://{DOMAIN}:{platform.port}/")
    register(Hand(page))
    page.goto(platform.url("models/docs/model/"))
    create.get_by_text("Try it").click()
    create.get_by_label("name", exact=False).first.fill("Made on the page")
    create.get_by_role("button", name="Create a model").click()
    expect(create.get_by_role("status")).to_contain_text("201 in")
    expect(create.get_by_role("status")).to_contain_text("x-upload-location")

    read = page.get_by_role("region", name="List models", exact=True)
    read.get_by_text("Try it").click()
    read.get_by_role("button", name="Ask").click()
    expect(read.get_by_role("status")).to_contain_text("200 in")
    expect(read.get_by_role("status")).to_contain_text("Made on the page")
