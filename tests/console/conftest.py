"""Browsers of a stranger and of somebody who is signed in."""

import pytest
from django.core.handlers.wsgi import WSGIHandler

from tests.console.visitor import PASSWORD, Browser, drop, set_up


@pytest.fixture
def browser(db) -> Browser:
    return Browser()


@pytest.fixture
def ada(browser, person) -> Browser:
    """A browser in which `person` is signed in."""
    assert browser.send("/sign-in/", username="ada", password=PASSWORD).status_code == 303
    return browser


@pytest.fixture
def part(ada, upload, cube, run_jobs) -> str:
    """The page of a model that can be made."""
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    run_jobs()
    return path


@pytest.fixture
def shop(ada) -> str:
    """The page of a shop of hers."""
    return set_up(ada)


@pytest.fixture
def api_requests(monkeypatch) -> list[str]:
    """A list that fills with the paths of all requests: those of pages, and what they ask."""
    paths = []
    real = WSGIHandler.get_response

    def counted(self, request):
        paths.append(request.path)
        return real(self, request)

    monkeypatch.setattr(WSGIHandler, "get_response", counted)
    return paths
