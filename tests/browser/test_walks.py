"""Whole pieces of work in a real browser, with the interactions that each takes.

docs/console.md has the numbers.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import segno
from playwright.sync_api import expect

from core.postgres.embedded import EmbeddedPostgres
from tests.browser.scenarios import Finger, Hand, faults_of, lead_to, register
from tests.browser.seed_data import OPERATOR, PASSWORD
from tests.browser.walker import (
    BY_KEYBOARD,
    DESK,
    ON_A_DESK,
    ON_A_PHONE,
    PHONE,
    SCRIPTLESS,
    WAYS,
    WITHOUT_SCRIPT,
    Walker,
)
from tests.live.client import Client
from tests.live.processes import DOMAIN
from tests.many_orders import many_orders
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

ORDERS, CUSTOMERS = 5_000, 100
CUSTOMER = "Customer c4ca42"  # the first one, by the hash of 1
WORKERS = [
    *(pytest.param(*way.values, "list", id=str(way.id)) for way in WAYS),
    pytest.param(Hand, DESK, "scan", id="by a hand scanner"),
    pytest.param(Finger, PHONE, "photo", id="by a photo on a phone"),
    pytest.param(Hand, SCRIPTLESS, "photo", id="by a photo without script"),
]
PRINTS = len(WORKERS)  # builds of the sample shop
Starts = Callable[..., Walker]


@pytest.fixture
def walker(visit) -> Starts:
    """`walker(Hand, options)`: a person who begins on the first page; `state` has their session."""

    def start(kind: type[Hand], options: dict[str, Any], path: str = "", **state: Any) -> Walker:
        return Walker(kind, visit(path, **options, **state), options)

    return start


def add_printer(someone: Walker, model: str) -> None:
    page, hand, say = someone.page, someone.hand, someone.say
    lead_to(hand, "Printers")
    hand.push(page.get_by_role("link", name=say("Add printer")).first)
    hand.write(page.get_by_label(say("Maker or model")), model)
    hand.push(page.get_by_role("main").get_by_role("button", name=say("Search")))
    hand.push(page.get_by_role("link", name=say("Add: %(title)s", title=model)).first)
    hand.push(page.get_by_role("button", name=say("Add printer")))
    someone.see("Created.")


def add_material(someone: Walker, name: str) -> None:
    page, hand, say = someone.page, someone.hand, someone.say
    lead_to(hand, "Settings")
    hand.push(page.get_by_role("link", name=say("Materials"), exact=True).first)
    new = say("New %(kind)s", kind=say("Material"))
    hand.push(page.get_by_role("link", name=new).first)
    hand.write(page.get_by_label(re.compile(f"^{say('Name')}")), name)
    hand.write(page.get_by_label(say("Filament type")), name)
    hand.write(page.get_by_label(say("Cost"), exact=True), "0.05")
    hand.push(page.get_by_role("button", name=say("Create"), exact=True))
    someone.see("Created.")


def invite(someone: Walker, name: str, role: str) -> str:
    """The path of the link."""
    page, hand, say = someone.page, someone.hand, someone.say
    lead_to(hand, "Settings")
    hand.push(page.get_by_role("link", name=say("People and roles")).first)
    hand.push(page.get_by_role("link", name=say("Invite"), exact=True))
    hand.write(page.get_by_label(say("Name")), name)
    hand.tick(page.get_by_role("radio", name=re.compile(f"^{say(role)}")))
    hand.push(page.get_by_role("button", name=say("Create invitation link")))
    return urlsplit(page.get_by_label(say("Invitation link")).input_value()).path


@pytest.mark.parametrize(("kind", "options"), WAYS)
def test_owner_sets_up_a_shop_with_two_printers_and_staff(walker, kind, options):
    owner = walker(kind, options)
    page, hand, say = owner.page, owner.hand, owner.say
    register(hand)
    hand.push(page.get_by_role("main").get_by_role("link", name=say("Set up your shop")))
    hand.write(page.get_by_label(say("Shop name")), "North Prints")
    printer = page.get_by_label(say("Printer"), exact=True)
    hand.choose(printer, "Original Prusa i3 MK3S & MK3S+")
    hand.push(page.get_by_role("button", name=say("Create shop")))
    owner.see("Shop created. Create the first order.")
    add_printer(owner, "Original Prusa MINI")
    add_material(owner, "PETG")
    add_material(owner, "ASA")
    lead_to(hand, "Dashboard")
    hand.push(page.get_by_role("link", name=re.compile(say("Create a price list"))))
    hand.push(page.get_by_role("button", name=say("Save price list")))
    owner.see("Price list active.")
    links = [invite(owner, "Bo", "Production"), invite(owner, "Cy", "Sales")]
    owner.ended("set-up by the owner", most=47)

    for link in links:
        staff = walker(kind, options)
        register(staff.hand)
        staff.page.goto(staff.page.url.partition("/?")[0].rstrip("/") + link)
        staff.hand.push(staff.page.get_by_role("button", name=say("Accept invitation")))
        staff.see("Invitation accepted. Welcome to the shop.")
    lead_to(hand, "Printers")
    expect(page.get_by_role("link", name=re.compile("Prusa MINI"))).to_be_visible()
    page.goto(page.url.replace("/printer/", "/material/"))
    expect(page.get_by_text("1–3")).to_be_visible()
    page.goto(page.url.replace("/material/", "/settings/people/"))
    expect(page.get_by_role("row")).to_have_count(1 + 3)


@pytest.mark.parametrize(("kind", "options"), [ON_A_PHONE, WITHOUT_SCRIPT])
def test_owner_changes_the_text_of_an_e_mail(walker, kind, options):
    owner = walker(kind, options)
    page, hand = owner.page, owner.hand
    register(hand)
    hand.push(page.get_by_role("main").get_by_role("link", name="Set up your shop"))
    hand.write(page.get_by_label("Shop name"), "North Prints")
    hand.push(page.get_by_role("button", name="Create shop"))
    owner.see("Shop created.")
    lead_to(hand, "Settings")
    hand.push(page.get_by_role("link", name="E-mails", exact=True).first)
    hand.push(page.get_by_role("button", name="Switch on In production"))
    owner.see("Changes saved.")
    assert not owner.has_script or faults_of(page, "e-mails") == []
    hand.push(page.get_by_role("link", name="Edit text: English (Shipped)"))
    hand.write(page.get_by_label("Subject"), "Order {order} is on its way")
    hand.push(page.get_by_role("button", name="Preview"))
    expect(page.get_by_text("Order 1042 is on its way")).to_be_visible()
    assert not owner.has_script or faults_of(page, "text of an e-mail") == []
    hand.push(page.get_by_role("button", name="Save"))
    owner.see("Changes saved.")
    expect(page.get_by_text("changed")).to_be_visible()
    owner.ended("the text of an e-mail", most=20)


@pytest.fixture(scope="module")
def sample_shop(chromium, platform) -> dict[str, Any]:
    """The sample shop with many orders and a build for each worker; `session` signs its owner in.

    The bed of its printer is empty.
    """
    client = Client(platform)
    context = chromium.new_context(java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto(f"http://{DOMAIN}:{platform.port}/sign-in/")
    page.get_by_label("Username").fill(client.person["username"])
    page.get_by_label("Password").fill(client.person["password"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Try with sample data").click()
    expect(page.get_by_role("heading", name="Sample data")).to_be_visible()
    session = context.storage_state()
    context.close()

    def first(kind: str) -> dict[str, Any]:
        return client.read(platform.url(f"erp/{kind}/"))["resources"][0]

    shop, printer = first("bureau")["uri"], first("printer")["uri"]
    model = next(
        row["uri"]
        for row in client.read(platform.url("models/model/"))["resources"]
        if row["name"] == "spacer"
    )
    client.settled(model)
    pieces = client.pieces(shop, model, 2 * PRINTS)
    about = {"printer": printer, "run_name": "Spacers", "budget": "quick"}
    pairs = zip(pieces[::2], pieces[1::2], strict=True)
    runs = [client.make("create-runs", pieces=[*pair], **about) for pair in pairs]
    client.ask("POST", f"{printer}clear/", 200, json={})
    with psycopg.connect(EmbeddedPostgres(platform.folder).url(), autocommit=True) as connection:
        name = client.person["username"]
        key = urlsplit(shop).path.split("/")[-2]
        for statement in many_orders(key, name, orders=ORDERS, customers=CUSTOMERS):
            connection.execute(statement)
    for run in runs:
        wait_for(lambda run=run: client.read(run)["status"] == "calculated", 180)
        wait_for(lambda run=run: client.read(run)["slicing"] in ("processed", None), 180)
    return {"session": session, "printer": printer}


@pytest.mark.parametrize(("kind", "options", "way"), WORKERS)
def test_worker_starts_a_print_and_clears_it_with_one_reject(
    walker, sample_shop, tmp_path, kind, options, way
):
    path = "printer/" if way == "list" else "scan/"
    worker = walker(kind, options, path, storage_state=sample_shop["session"])
    page, hand, say = worker.page, worker.hand, worker.say

    if way == "scan":  # a hand scanner types, and presses Enter
        hand.write(page.get_by_label("Code or link of the label"), sample_shop["printer"])
        page.keyboard.press("Enter")
    elif way == "photo":
        label = tmp_path / "label.png"
        segno.make_qr(sample_shop["printer"]).save(label, scale=60)  # larger than what is sent
        hand.bring(page.get_by_label("Photo of the label"), str(label))
        if not worker.has_script:
            hand.push(page.get_by_role("button", name="Read code"))
    else:
        hand.push(page.get_by_role("link", name="Printer 1"))
    hand.push(page.get_by_role("button", name=say("Start print")).first)
    hand.push(page.get_by_role("button", name=say("Mark as finished")))
    hand.tick(page.get_by_role("checkbox").nth(1))
    hand.push(page.get_by_role("button", name=say("Mark bed as cleared")))

    worker.see("Bed cleared.")
    most = 6 if way == "photo" and not worker.has_script else 5  # a button sends the photo
    worker.ended(f"a print by a worker, opened by {way}", most=most)
    lead_to(hand, "Queue")
    expect(page.get_by_role("main").get_by_text("Part").first).to_be_visible()


@pytest.mark.parametrize(("kind", "options"), WAYS)
def test_owner_finds_an_order_of_last_month_by_customer(walker, sample_shop, kind, options):
    owner = walker(kind, options, storage_state=sample_shop["session"])
    page, hand, say = owner.page, owner.hand, owner.say

    field = page.get_by_label(say("Search everything"))
    if options["viewport"]["width"] < 768:  # its top bar leads to a page with the field
        hand.push(page.get_by_role("link", name=say("Search")).first)
        field = page.get_by_role("main").get_by_role("searchbox")
    hand.write(field, CUSTOMER)
    page.keyboard.press("Enter")
    hand.push(page.get_by_role("link", name=f"{say('Orders')} {CUSTOMER}"))

    expect(page.get_by_text("1–25")).to_be_visible()
    last_month = (date.today().replace(day=1) - timedelta(days=1)).strftime("%Y-%m")
    expect(page.locator(f"time[datetime^='{last_month}']").first).to_be_visible()
    owner.ended("an order by its customer", most=3)


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_PHONE, BY_KEYBOARD, WITHOUT_SCRIPT])
def test_administrator_retries_a_failed_job(walker, admin, kind, options):
    """The operators' pages are in English."""
    operator = walker(kind, options)
    page, hand = operator.page, operator.hand
    page.goto(admin())
    hand.write(page.get_by_label("Username"), OPERATOR)
    hand.write(page.get_by_label("Password:", exact=True), PASSWORD)
    hand.push(page.get_by_role("button", name="Log in"))
    operator.count = 0

    expect(page.get_by_role("heading", name="System health")).to_be_visible()
    failure = page.locator("#failures tr", has_text="The file has a name but no triangles").first
    hand.push(failure.get_by_role("button", name="Retry"))

    expect(page.get_by_text("1 sent to analysis.")).to_be_visible()
    assert operator.count <= 3
    print(f"a failed job is sent again: {operator.count} interactions")
