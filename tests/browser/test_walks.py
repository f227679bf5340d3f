"""Whole pieces of work in a real browser, with the interactions that each takes.

An interaction is what a person does with one control: a press, an entry, a choice, a tick.
"""

import re
import time
from urllib.parse import urlsplit

import psycopg
import pytest
from playwright.sync_api import Locator, Page, expect

from core.postgres.embedded import EmbeddedPostgres
from tests.browser.scenarios import Finger, Hand, faults_of, fits, lead_to, register
from tests.many_orders import many_orders

pytestmark = pytest.mark.slow

DESK = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WAYS = [
    pytest.param(DESK, id="on a desk"),
    pytest.param(PHONE, id="on a phone"),
    pytest.param(DESK | {"java_script_enabled": False}, id="without script"),
    pytest.param(DESK | {"color_scheme": "dark"}, id="in dark mode"),
]


class Walker:
    """A person whose interactions are counted."""

    def __init__(self, page: Page, *, touches: bool = False, has_script: bool = True):
        self.page, self.count, self.begun = page, 0, time.monotonic()
        self.has_script = has_script
        self.hand = Finger(page) if touches else Hand(page)
        for name in ("push", "write", "choose", "tick"):
            setattr(self.hand, name, self._counted(getattr(self.hand, name)))

    def _counted(self, do):
        def act(there: Locator, *texts: str) -> None:
            self.count += 1
            expect(there).to_be_visible()
            assert fits(self.page), self.page.url
            do(there, *texts)

        return act

    def ended(self, what: str, most: int) -> None:
        """Report, and compare with what is allowed."""
        seconds = time.monotonic() - self.begun
        print(f"{what}: {self.count} interactions, {seconds:.0f} s by machine")
        assert self.count <= most, f"{what} took {self.count} interactions"


def walker(visit, options) -> Walker:
    return Walker(
        visit(**options),
        touches=options.get("has_touch", False),
        has_script=options.get("java_script_enabled", True),
    )


def see(page: Page, texts: str) -> None:
    """What was done is said."""
    expect(page.get_by_role("status").filter(has_text=texts)).to_be_visible()


def add_printer(someone: Walker, model: str) -> None:
    page, hand = someone.page, someone.hand
    lead_to(hand, "Printers")
    hand.push(page.get_by_role("link", name="Add printer").first)
    hand.write(page.get_by_label("Maker or model"), model)
    hand.push(page.get_by_role("main").get_by_role("button", name="Search"))
    hand.push(page.get_by_role("link", name=f"Add: {model}").first)
    hand.push(page.get_by_role("button", name="Add printer"))
    see(page, "Created")


def add_material(someone: Walker, name: str) -> None:
    page, hand = someone.page, someone.hand
    lead_to(hand, "Settings")
    hand.push(page.get_by_role("link", name="Materials", exact=True).first)
    hand.push(page.get_by_role("link", name="New: Material").first)
    hand.write(page.get_by_label(re.compile("^Name")), name)
    hand.write(page.get_by_label("Filament type"), name)
    hand.write(page.get_by_label("Cost", exact=True), "0.05")
    hand.push(page.get_by_role("button", name="Create", exact=True))
    see(page, "Created")


def invite(someone: Walker, name: str, role: str) -> str:
    """The path of the link."""
    page, hand = someone.page, someone.hand
    lead_to(hand, "Settings")
    hand.push(page.get_by_role("link", name="People and roles").first)
    hand.push(page.get_by_role("link", name="Invite", exact=True))
    hand.write(page.get_by_label("Name"), name)
    hand.tick(page.get_by_role("radio", name=re.compile(f"^{role}")))
    hand.push(page.get_by_role("button", name="Create invitation link"))
    return urlsplit(page.get_by_label("Invitation link").input_value()).path


@pytest.mark.parametrize("options", WAYS)
def test_owner_sets_up_a_shop_with_two_printers_and_staff(visit, options):
    owner = walker(visit, options)
    page, hand = owner.page, owner.hand
    register(hand)
    hand.push(page.get_by_role("main").get_by_role("link", name="Set up your shop"))
    hand.write(page.get_by_label("Shop name"), "North Prints")
    hand.choose(page.get_by_label("Printer", exact=True), "Original Prusa i3 MK3S & MK3S+")
    hand.push(page.get_by_role("button", name="Create shop"))
    see(page, "Shop created.")
    add_printer(owner, "Original Prusa MINI")
    add_material(owner, "PETG")
    add_material(owner, "ASA")
    lead_to(hand, "Dashboard")
    hand.push(page.get_by_role("link", name=re.compile("Create a price list")))
    hand.push(page.get_by_role("button", name="Save price list"))
    see(page, "Price list active")
    links = [invite(owner, "Bo", "Production"), invite(owner, "Cy", "Sales")]
    owner.ended("set-up by the owner", most=60)

    for link in links:
        staff = walker(visit, options)
        register(staff.hand)
        staff.page.goto(staff.page.url.partition("/?")[0].rstrip("/") + link)
        staff.hand.push(staff.page.get_by_role("button", name="Accept invitation"))
        see(staff.page, "Invitation accepted")
    lead_to(hand, "Printers")
    expect(page.get_by_role("link", name=re.compile("Prusa MINI"))).to_be_visible()
    page.goto(page.url.replace("/printer/", "/material/"))
    expect(page.get_by_text("1–3 of 3")).to_be_visible()
    page.goto(page.url.replace("/material/", "/settings/people/"))
    expect(page.get_by_role("row")).to_have_count(1 + 3)


@pytest.mark.parametrize("options", WAYS)
def test_owner_changes_the_text_of_an_e_mail(visit, options):
    owner = walker(visit, options)
    page, hand = owner.page, owner.hand
    register(hand)
    hand.push(page.get_by_role("main").get_by_role("link", name="Set up your shop"))
    hand.write(page.get_by_label("Shop name"), "North Prints")
    hand.push(page.get_by_role("button", name="Create shop"))
    see(page, "Shop created.")
    lead_to(hand, "Settings")
    hand.push(page.get_by_role("link", name="E-mails", exact=True).first)
    hand.push(page.get_by_role("button", name="Switch on In production"))
    see(page, "Changes saved.")
    assert not owner.has_script or faults_of(page, "e-mails") == []
    hand.push(page.get_by_role("link", name="Edit text: English (Shipped)"))
    hand.write(page.get_by_label("Subject"), "Order {order} is on its way")
    hand.push(page.get_by_role("button", name="Preview"))
    expect(page.get_by_text("Order 1042 is on its way")).to_be_visible()
    assert not owner.has_script or faults_of(page, "text of an e-mail") == []
    hand.push(page.get_by_role("button", name="Save"))
    see(page, "Changes saved.")
    expect(page.get_by_text("changed")).to_be_visible()
    owner.ended("the text of an e-mail", most=20)


def open_sample_shop(someone: Walker) -> str:
    """A packed build that waits for its printer, whose bed is empty; the name of the account."""
    page, hand = someone.page, someone.hand
    name = register(hand)
    hand.push(page.get_by_role("button", name="Try with sample data"))
    if not someone.has_script:
        hand.push(page.get_by_role("button", name="Confirm and pack plate"))
    gcode = page.get_by_role("link", name="Download G-code")
    expect(gcode).to_be_visible(timeout=120_000)
    lead_to(hand, "Printers")
    hand.push(page.get_by_role("link", name="Printer 1"))
    hand.push(page.get_by_role("button", name="Confirm empty bed"))
    expect(page.get_by_role("button", name="Start print")).to_be_visible()
    return name


@pytest.mark.parametrize("options", WAYS)
def test_worker_starts_a_print_and_clears_it_with_one_reject(visit, options):
    worker = walker(visit, options)
    page, hand = worker.page, worker.hand
    open_sample_shop(worker)
    lead_to(hand, "Printers")
    worker.count = 0

    hand.push(page.get_by_role("link", name="Printer 1"))
    hand.push(page.get_by_role("button", name="Start print"))
    hand.push(page.get_by_role("button", name="Mark as finished"))
    hand.tick(page.get_by_role("checkbox", name="clip No. 2"))
    hand.push(page.get_by_role("button", name="Mark bed as cleared"))

    see(page, "Bed cleared")
    worker.ended("a print by a worker", most=5)
    lead_to(hand, "Queue")
    expect(page.get_by_role("main").get_by_text("clip").first).to_be_visible()


@pytest.mark.parametrize("options", [WAYS[0], WAYS[1]])
def test_owner_finds_an_order_of_a_customer_among_five_thousand(visit, platform, options):
    owner = walker(visit, options)
    page, hand = owner.page, owner.hand
    name = open_sample_shop(owner)
    ((bureau,),) = platform.ask(
        "SELECT b.uuid FROM erp_bureau b JOIN users_user u ON u.uuid = b.creator_id "
        "WHERE u.username = %s",
        name,
    )
    with psycopg.connect(EmbeddedPostgres(platform.folder).url(), autocommit=True) as connection:
        for statement in many_orders(str(bureau), name, orders=5_000, customers=100):
            connection.execute(statement)
    customer = "Customer c4ca42"  # the first one, by the hash of 1
    lead_to(hand, "Dashboard")
    owner.count = 0

    field = page.get_by_label("Search everything")
    if "has_touch" in options:  # the top bar of a phone leads to a page with the field
        hand.push(page.get_by_role("link", name="Search").first)
        field = page.get_by_role("main").get_by_role("searchbox")
    hand.write(field, customer)
    page.keyboard.press("Enter")
    hand.push(page.get_by_role("main").get_by_role("link", name=customer))
    hand.push(page.get_by_role("main").get_by_role("link", name="Orders"))

    owner.ended("an order by its customer", most=4 if "has_touch" in options else 3)
    rows = page.get_by_role("row")
    expect(rows.first).to_be_visible()
    expect(page.get_by_text(re.compile("1–50 of 50"))).to_be_visible()
