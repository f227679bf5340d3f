"""Operators' pages, used by an operator with a mouse and a keyboard."""

import re
import time

import pyotp
import pytest
from playwright.sync_api import Page, expect

from tests.browser.seed_data import PASSWORD
from tests.live.client import Client

pytestmark = pytest.mark.slow

READ = """async path => {
    const answer = await fetch(path);
    return [answer.status, await answer.text()];
}"""


def test_administrator_signs_in_and_out(page, log_in):
    log_in()
    expect(page.get_by_role("heading", name="System health")).to_be_visible()

    page.get_by_role("button", name="Log out").click()

    expect(page.get_by_text("Logged out")).to_be_visible()


def test_wrong_password_is_shown_on_the_sign_in_page(page, log_in):
    log_in("operator", "no such password")

    expect(page.get_by_text("The user name or the password is wrong.")).to_be_visible()


def test_second_administrator_is_created_and_signs_in_with_a_code(page, log_in, admin, platform):
    log_in()
    page.goto(admin("users/user/add/"))
    page.get_by_label("Username:").fill("second")
    page.get_by_label("Name:", exact=True).fill("Second Operator")
    page.get_by_label("Email:").fill("second@example.com")
    page.get_by_label("Password:", exact=True).fill(PASSWORD)
    page.get_by_label("Password confirmation:").fill(PASSWORD)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was added successfully")).to_be_visible()

    page.get_by_label("Staff status").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("becomes an operator, who may read and do everything")).to_be_visible()
    page.get_by_label("I mean it").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    page.get_by_role("button", name="Log out").click()

    codes = authenticator(platform)
    log_in("second", PASSWORD)
    expect(page.get_by_text("one-time password")).not_to_have_count(0)
    log_in("second", PASSWORD, codes.at(int(time.time()) + 30))  # each code is taken once
    expect(page.get_by_role("heading", name="System health")).to_be_visible()


def authenticator(platform) -> pyotp.TOTP:
    """The second operator's app, set up over HTTP."""
    client = Client(platform)
    client.session.auth = None
    client.ask("POST", "users/sessions/", 201, json={"username": "second", "password": PASSWORD})
    made = client.ask("POST", "users/one-time-passwords/", 201, json={"password": PASSWORD}).json()
    codes = pyotp.TOTP(made["secret"])
    client.ask("PUT", made["uri"], 204, json={"one_time_password": codes.now()})
    return codes


def test_failed_analysis_is_retried_from_the_admin_index(page, log_in, admin):
    log_in()
    failure = page.locator("#failures tr", has_text="The file has a name but no triangles").first

    failure.get_by_role("button", name="Retry").click()

    expect(page.get_by_text("1 sent to analysis.")).to_be_visible()


def test_admin_list_actions_delete_and_restore_a_model(page, log_in, admin):
    log_in()
    page.goto(admin("warehouse/model/?status__exact=processed"))
    page.locator("#result_list tbody .action-select").first.check()
    page.get_by_label("Action:").select_option(label="Delete (can be restored)")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("1 deleted.")).to_be_visible()

    page.locator("#result_list tbody .action-select").first.check()
    page.get_by_label("Action:").select_option(label="Restore deleted")
    page.get_by_role("button", name="Go").click()

    expect(page.get_by_text("1 restored.")).to_be_visible()


def test_every_admin_list_change_and_add_page_is_shown(page, log_in, admin):
    """Pages of changes have all fields and scripts, and are drawn; the others are read."""
    log_in()
    lists = page.locator("#content-main th a").evaluate_all("links => links.map(a => a.pathname)")
    adds = page.locator("#content-main a.addlink").evaluate_all("l => l.map(a => a.pathname)")

    empty = []
    for path in lists:
        if row := re.search(r'href="(/[^"]+/change/)', read(page, path)):
            page.goto(admin(row[1][1:]))
            expect(page.locator(".module label").first).to_be_visible()
        else:
            empty.append(path)
    without_form = [path for path in adds if 'name="_save"' not in read(page, path)]

    assert len(lists) > 50
    assert (empty, without_form) == ([], [])


def read(page: Page, path: str) -> str:
    """The text of a page of the same host."""
    status, text = page.evaluate(READ, path)
    assert status == 200, path
    return text
