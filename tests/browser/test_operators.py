"""Operators' pages, used by an operator with a mouse and a keyboard."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow


def test_an_operator_logs_in_and_out(page, log_in):
    log_in()
    expect(page.get_by_text("Welcome")).to_be_visible()

    page.get_by_role("button", name="Log out").click()

    expect(page.get_by_text("Logged out")).to_be_visible()
