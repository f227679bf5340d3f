"""The owner sets when people are at a location, and has prints start and builds planned."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.scenarios import faults_of, fold
from tests.browser.test_card_payments import shoot, sign_in
from tests.browser.walker import ON_A_DESK, ON_A_PHONE, Walker
from tests.live.client import Client
from tests.live.processes import DOMAIN

pytestmark = pytest.mark.slow
EDIT = re.compile("/edit/")


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_PHONE])
def test_owner_has_prints_start_automatically(visit, platform, kind, options):
    owner = Client(platform)
    _, printer = owner.shop()
    row = owner.read(printer)
    walker = Walker(kind, visit("sign-in/", **options), options)
    page, hand = walker.page, walker.hand
    sign_in(page, owner.person)

    def edit(uri: str) -> None:
        path = uri.split("/", 3)[3]
        page.goto(f"http://{DOMAIN}:{platform.port}/{path}edit/")
        fold(page, shut=False)

    def save() -> None:
        hand.push(page.get_by_role("button", name="Save"))
        expect(page).not_to_have_url(EDIT)

    edit(row["location"])
    hours = {"Attended from": "8", "Attended until": "18", "Quiet from": "22", "Quiet until": "6"}
    for label, hour in hours.items():
        hand.write(page.get_by_label(f"{label} (hour)"), hour)
    assert faults_of(page, "location") == []
    shoot(page, "location-hours")
    save()
    edit(row["printer_type"])
    hand.tick(page.get_by_label("Plan builds automatically"))
    assert faults_of(page, "printer type") == []
    save()
    edit(printer)
    hand.tick(page.get_by_label("Start prints automatically"))
    assert faults_of(page, "edit printer") == []
    shoot(page, "printer-edit")
    save()

    page.goto(f"http://{DOMAIN}:{platform.port}/{printer.split('/', 3)[3]}")
    expect(page.get_by_text("Starts prints automatically once it is connected")).to_be_visible()
    assert faults_of(page, "printer") == []
    shoot(page, "printer-starting")
    assert owner.read(printer)["auto_start"] and owner.read(row["printer_type"])["plan_runs"]
    place = owner.read(row["location"])
    assert [place[name] for name in ("attended_from", "attended_until")] == [8, 18]
    assert [place[name] for name in ("quiet_from", "quiet_until")] == [22, 6]
