"""Browsers of a stranger and of somebody who is signed in."""

import pytest

from tests.console.visiting import PASSWORD, Browser


@pytest.fixture
def browser(db) -> Browser:
    return Browser()


@pytest.fixture
def ada(browser, person) -> Browser:
    """A browser in which `person` is signed in."""
    assert browser.send("/sign-in/", username="ada", password=PASSWORD).status_code == 303
    return browser
