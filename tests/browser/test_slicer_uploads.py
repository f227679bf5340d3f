"""The owner makes a key for a slicer, which sends G-code, and creates a build of it."""

import http.client

import pytest
from playwright.sync_api import expect

from tests.browser.scenarios import faults_of
from tests.browser.test_card_payments import shoot, sign_in
from tests.browser.walker import ON_A_DESK, ON_A_PHONE, Walker
from tests.flows.preset_data import BUNDLE
from tests.gcode.slicer_files import FILES
from tests.integrations.projects import with_settings
from tests.live.client import Client
from tests.live.processes import DOMAIN
from tests.slicing.project_files import prusa_project, prusa_text

pytestmark = pytest.mark.slow


def send(platform, secret: str, name: str, content: bytes) -> int:
    """What a slicer sends to PrusaLink; the status."""
    connection = http.client.HTTPConnection("127.0.0.1", platform.port, timeout=30)
    headers = {"Host": f"print.{DOMAIN}", "X-Api-Key": secret, "User-Agent": "PrusaSlicer/2.9.2"}
    connection.request("PUT", f"/api/v1/files/local/{name}", content, headers)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_PHONE])
def test_slicer_sends_gcode_that_becomes_a_build(visit, platform, kind, options):
    owner = Client(platform)
    owner.shop()
    walker = Walker(kind, visit("sign-in/", **options), options)
    page, hand = walker.page, walker.hand
    sign_in(page, owner.person)
    page.goto(f"http://{DOMAIN}:{platform.port}/settings/slicers/")
    hand.write(page.get_by_label("Name"), "Office")
    hand.push(page.get_by_role("button", name="Create key"))
    secret = page.get_by_label("API key", exact=True).input_value()
    assert page.get_by_label("Hostname").input_value() == f"http://print.{DOMAIN}:{platform.port}"
    shoot(page, "slicer-key")
    assert faults_of(page, "slicer key") == []

    assert send(platform, secret, "bracket.gcode", FILES["PrusaSlicer"][1]) == 201

    page.goto(f"http://{DOMAIN}:{platform.port}/settings/slicers/")
    expect(page.get_by_text("Waiting")).to_be_visible()  # the page follows by itself
    shoot(page, "slicer-received")
    hand.push(page.get_by_role("link", name="bracket.gcode").first)
    expect(page.get_by_text("2.9.2")).to_be_visible()
    shoot(page, "gcode-build")
    assert faults_of(page, "gcode") == []
    hand.push(page.get_by_role("button", name="Create build"))
    expect(page.get_by_role("heading", name="bracket.gcode")).to_be_visible()
    shoot(page, "gcode-run")
    assert faults_of(page, "run") == []
    page.goto(f"http://{DOMAIN}:{platform.port}/received-file/")
    expect(page.get_by_role("link", name="bracket.gcode").first).to_be_visible()
    shoot(page, "received-files")
    assert faults_of(page, "received files") == []


def test_gcode_is_uploaded_on_a_page(visit, platform, tmp_path):
    owner = Client(platform)
    owner.shop()
    page = visit("sign-in/")
    sign_in(page, owner.person)
    path = tmp_path / "plate.gcode.3mf"
    path.write_bytes(FILES["Bambu Studio"][1])
    page.goto(f"http://{DOMAIN}:{platform.port}/gcode/")
    page.get_by_label("Name").fill("Plate")
    page.get_by_role("button", name="Next: choose file").click()
    page.get_by_label("File").set_input_files(path)
    page.get_by_role("button", name="Upload file").click()

    expect(page.get_by_role("button", name="Create build")).to_be_visible()
    expect(page.get_by_text("Bambu Lab P1S").first).to_be_visible()


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_PHONE])
def test_own_profile_is_uploaded_and_chosen_for_a_printer_type(
    visit, platform, tmp_path, kind, options
):
    owner = Client(platform)
    owner.shop()
    walker = Walker(kind, visit("sign-in/", **options), options)
    page, hand = walker.page, walker.hand
    sign_in(page, owner.person)
    bundle = tmp_path / "bundle.ini"
    large = BUNDLE.replace("220", "300").replace("250", "300")
    bundle.write_text(large + "[print:Fine]\nlayer_height = 0.1\n")
    page.goto(f"http://{DOMAIN}:{platform.port}/settings/profiles/")
    assert faults_of(page, "no profiles") == []
    page.get_by_label("File", exact=True).set_input_files(bundle)
    hand.push(page.get_by_role("button", name="Upload profile"))
    expect(page.get_by_label("Print settings")).to_be_visible()
    shoot(page, "profile-choice")
    assert faults_of(page, "choice of presets") == []
    page.get_by_label("Print settings").select_option("Fine")
    hand.push(page.get_by_role("button", name="Upload profile"))
    expect(page.get_by_text("My printer · Fine · My PLA").first).to_be_visible()
    shoot(page, "profiles")
    assert faults_of(page, "profiles") == []

    page.goto(f"http://{DOMAIN}:{platform.port}/printer-type/")
    hand.push(page.get_by_role("link", name="Large").first)
    hand.push(page.get_by_role("link", name="Edit").first)
    page.locator("details:has(#id_config) > summary").click()
    page.get_by_label("Slicing configuration").select_option("My printer · Fine · My PLA")
    shoot(page, "profile-of-type")
    hand.push(page.get_by_role("button", name="Save").first)
    expect(page.get_by_text("My printer · Fine · My PLA").first).to_be_visible()


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_PHONE])
def test_settings_of_a_project_become_a_profile_that_is_compared(
    visit, platform, tmp_path, kind, options
):
    owner = Client(platform)
    owner.shop()
    walker = Walker(kind, visit("sign-in/", **options), options)
    page, hand = walker.page, walker.hand
    sign_in(page, owner.person)
    page.goto(f"http://{DOMAIN}:{platform.port}/settings/profiles/")
    mine = prusa_project(perimeters="5", start_gcode="G28\\nG1 Z5\\nG92 E0\\n")
    file = {"name": "mine.3mf", "mimeType": "model/3mf", "buffer": mine}
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_label("Name").fill("Solid parts")
    hand.push(page.get_by_role("button", name="Upload profile"))
    expect(page.get_by_text("Solid parts").first).to_be_visible()

    project = with_settings(prusa_text(filament_cost="31"))
    body = {"name": "box", "type": "3mf"}
    answer = owner.ask("POST", "models/model/", 201, json=body)
    owner.upload(answer.headers["X-Upload-Location"], project)
    page.goto(f"http://{DOMAIN}:{platform.port}/model/{answer.headers['Location'].split('/')[-2]}/")
    expect(page.get_by_text("The file has settings of PrusaSlicer 2.7.4.")).to_be_visible()
    shoot(page, "project-part")
    assert faults_of(page, "part that is a project") == []
    hand.push(page.get_by_role("button", name="Create slicer profile"))
    expect(page.get_by_text("My Flat · Coarse · My PETG").first).to_be_visible()
    shoot(page, "project-profiles")
    hand.push(page.get_by_role("link", name="Compare My Flat · Coarse · My PETG"))
    row = page.get_by_role("row").filter(has_text="perimeters")
    expect(row.get_by_role("cell")).to_have_text(["3", "5"])
    shoot(page, "profile-differences")
    assert faults_of(page, "differences") == []
