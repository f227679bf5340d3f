"""Connection of a Bambu Lab printer, from the choice of its kind to its filament, in a browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.scenarios import Hand, faults_of, register, set_up_shop, speak
from tests.live.processes import browser

pytestmark = pytest.mark.slow
TRAYS = [
    {"slot": "A1", "material": "PLA", "color": "#ff8000", "remaining": 0.75, "is_active": True},
    {"slot": "A2", "material": "PETG", "color": "#2060c0"},
    {"slot": "external", "material": "TPU"},
]


def test_bambu_lab_printer_is_connected_and_shows_its_filament(visit, platform):
    page = visit()
    hand = Hand(page)
    register(hand)
    set_up_shop(hand)
    home = page.url.partition("/bureau/")[0]
    page.goto(f"{home}/settings/printers/")
    hand.push(page.get_by_role("link", name=re.compile("^Connect")).first)
    form = page.url

    hand.choose(page.get_by_label("Connection", exact=True), "Bambu Lab")

    sketch = page.get_by_role("figure").filter(visible=True)
    expect(sketch).to_contain_text("Experimental")
    expect(sketch).to_contain_text("Switch on LAN Only Mode and, on the same page, Developer Mode")
    faults = []
    for language, width in (("en", 1280), ("en", 390), ("de", 390)):
        speak(page, language)
        page.set_viewport_size({"width": width, "height": 900})
        for kind in ("bambu", "elegoo"):
            page.goto(f"{form.partition('?')[0]}?driver={kind}")
            faults += faults_of(page, f"{kind}, {language}, {width}")
    speak(page, "en")
    page.goto(f"{form.partition('?')[0]}?driver=bambu&address=192.168.1.20")
    hand.push(page.get_by_role("button", name="Save and test connection"))
    hand.push(page.get_by_role("button", name="Show pairing code"))
    watched = page.context.new_page()
    watched.goto(f"{home}/settings/printers/")
    code = re.search(r"pair \S+ (\w{8})", page.get_by_role("main").inner_text())[1]
    agent = browser()
    token = agent.post(platform.url("erp/agent/pair/"), json={"code": code}).json()["token"]
    agent.headers["Authorization"] = f"Bearer {token}"
    printer = form.partition("connection/")[0]
    uri = platform.url(f"erp/printer/{printer.rstrip('/').rpartition('/')[2]}/")
    sight = {"printer": uri, "state": "idle", "trays": TRAYS, "host": "Bambu Lab P1S 01.09.00.00"}
    body = {"version": "2", "session": "here", "machines": [sight], "reports": []}
    assert agent.post(platform.url("erp/agent/exchange/"), json=body).status_code == 200
    expect(watched.locator("#agents")).to_contain_text("Online")

    for language, width in (("en", 1280), ("de", 390)):
        speak(page, language)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(printer)
        expect(page.get_by_role("main")).to_contain_text("PLA · 75")
        faults += faults_of(page, f"printer, {language}, {width}")
    assert faults == []
