"""Companies of customers: limits, approvals, rights, and prices of their group."""

import re
from uuid import uuid4

import pytest
from django.core import mail
from django.db import DatabaseError, transaction

from apps.erp.models import CompanyMember, LineItem, Message, Order, OrderApproval, PriceTable
from apps.users.models import Notification
from tests.console.test_storefront import ADDRESS, prepared, uploaded
from tests.console.visitor import Browser, main_of

BUYER, APPROVER = ADDRESS["email"], "chefin@example.com"


@pytest.fixture
def erp(client_of, person):
    return client_of("erp", person)


@pytest.fixture
def make(erp):
    """`make("customer-group", name="Schools")`: a resource of the shop."""

    def create(kind: str, **values) -> dict:
        shop = erp.get("/bureau/").json()["resources"][0]["uri"]
        answer = erp.post(f"/{kind}/", {"bureau": shop, **values})
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return create


@pytest.fixture
def path(storefront) -> str:
    return storefront(review="instant")


@pytest.fixture
def company(path, erp, make) -> dict:
    """A company with a buyer and an approver, whose limit is below the price of a cube."""
    made = make("customer-company", name="Hansa GmbH", approval_limit=0.01)
    for email, role in ((BUYER, "buyer"), (APPROVER, "approver")):
        make("company-member", company=made["uri"], email=email, role=role)
    return made


@pytest.fixture
def sign_in(path, run_jobs):
    """`sign_in(email)`: a browser in which this customer is signed in."""

    def by_link(email: str) -> Browser:
        mail.outbox.clear()
        browser = Browser()
        browser.send(f"{path}account/", email=email)
        run_jobs()
        link = re.search(r"http://platform.test(/s/\S+)", str(mail.outbox[-1].body))[1]
        assert browser.send(link).status_code == 303
        return browser

    return by_link


@pytest.fixture
def place(path, upload, cube, run_jobs, sliced):
    """`place(browser)`: an order of one cube, and its page."""

    def order(browser: Browser, **values: str) -> str:
        uploaded(browser, path, upload, cube)
        run_jobs()
        key = prepared(browser, path, sliced)
        placed = browser.send(f"{path}checkout/", key=key, **{**ADDRESS, **values})
        assert placed.status_code == 303, main_of(placed)
        sliced()
        run_jobs()
        return placed["Location"]

    return order


def request_of(browser: Browser, path: str) -> str:
    """The path of the form of the only request that waits for an approver."""
    (action,) = re.findall(
        rf'action="({path}account/approvals/[^"]+)"',
        browser.get(f"{path}account/").content.decode(),
    )
    return action


def test_order_above_the_limit_waits_until_an_approver_approves_it(
    company, path, sign_in, place, sliced, run_jobs
):
    buyer, approver = sign_in(BUYER), sign_in(APPROVER)
    page = place(buyer)

    assert Order.objects.get().status == "new"
    assert "Requested by Joost van Dijk" in main_of(buyer.get(page))
    message = Message.objects.get(moment="approval")
    assert (message.recipient, message.subject) == (APPROVER, "Order 1 needs your approval")
    assert "Orders to approve" not in main_of(buyer.get(f"{path}account/"))
    action = request_of(approver, path)

    done = approver.send(action, decision="approved", note="Go ahead")
    assert done["Location"].endswith("done=order-approved")
    run_jobs()

    order = Order.objects.get()
    assert order.status == "confirmed"
    assert "Approved by" in main_of(buyer.get(page))
    assert "Go ahead" in main_of(buyer.get(page))
    assert approver.send(action, decision="declined").status_code == 409
    steps = order.approvals.order_by("pk").values_list("step", "person")
    assert list(steps) == [("requested", "Joost van Dijk"), ("approved", APPROVER)]


def test_declined_order_is_not_confirmed_and_the_shop_is_notified(
    company, path, sign_in, place, run_jobs
):
    approver = sign_in(APPROVER)
    page = place(sign_in(BUYER))

    approver.send(request_of(approver, path), decision="declined", note="Too expensive")
    run_jobs()

    assert Order.objects.get().status == "new"
    assert "Too expensive" in main_of(Browser().get(page))
    assert Notification.objects.filter(kind="approval-declined").exists()
    (message,) = Message.objects.filter(moment="declined")
    assert message.recipient == BUYER


def test_quote_above_the_limit_waits_for_an_approver(
    company, path, storefront, erp, make, sign_in, place, run_jobs
):
    (front,) = erp.get("/storefront/").json()["resources"]
    erp.put(front["uri"], {"review": "always"})
    buyer, approver = sign_in(BUYER), sign_in(APPROVER)
    page = place(buyer).partition("?")[0]
    order = Order.objects.get()
    assert erp.post("/quote/", {"order": order.uri}).status_code == 201

    form = buyer.get(page).content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]
    assert buyer.send(page, name="Joost", key=key).status_code == 303
    order.refresh_from_db()
    assert order.status == "new"
    again = buyer.send(page, name="Joost", key=str(uuid4()))
    assert again.status_code == 409

    approver.send(request_of(approver, path), decision="approved")
    order.refresh_from_db()
    assert order.status == "confirmed"
    assert order.quotes.get().accepted_by == "Joost"


def test_order_above_the_limit_of_a_company_without_approver_is_reviewed(
    company, erp, sign_in, place, run_jobs
):
    CompanyMember.objects.filter(role="approver").delete()
    buyer = sign_in(BUYER)

    page = place(buyer).partition("?")[0]

    order = Order.objects.get()
    assert (order.status, order.is_instant) == ("new", False)
    assert Notification.objects.filter(kind="order-review").exists()
    assert not OrderApproval.objects.exists()
    assert erp.post("/quote/", {"order": order.uri}).status_code == 201
    key = re.search(r'name="key" value="([^"]+)"', buyer.get(page).content.decode())[1]
    refused = buyer.send(page, name="Joost", key=key)
    assert refused.status_code == 409
    assert "no member who approves orders" in main_of(refused)


def test_order_of_a_signed_in_approver_needs_no_approval(company, sign_in, place):
    place(sign_in(APPROVER))
    assert Order.objects.get().status == "confirmed"
    assert OrderApproval.objects.get().step == "approved"


def test_quote_above_what_an_approver_ordered_needs_an_approval(
    company, storefront, erp, sign_in, place, run_jobs
):
    (front,) = erp.get("/storefront/").json()["resources"]
    erp.put(front["uri"], {"review": "always"})
    approver = sign_in(APPROVER)
    page = place(approver).partition("?")[0]
    item = LineItem.objects.get()
    assert erp.put(item.uri, {"manual_price": {"net": 500, "note": ""}}).status_code == 204
    assert erp.post("/quote/", {"order": Order.objects.get().uri}).status_code == 201

    key = re.search(r'name="key" value="([^"]+)"', approver.get(page).content.decode())[1]
    assert approver.send(page, name="Joost", key=key).status_code == 303

    assert Order.objects.get().status == "new"
    steps = OrderApproval.objects.order_by("pk").values_list("step", flat=True)
    assert list(steps) == ["approved", "requested"]


def test_typed_address_of_an_approver_approves_nothing(company, place):
    place(Browser(), email=APPROVER)

    assert Order.objects.get().status == "new"


def test_buyer_cannot_leave_the_company_by_typing_another_address(company, sign_in, place):
    place(sign_in(BUYER), email="someone@example.com")

    order = Order.objects.get()
    assert order.status == "new"
    assert order.customer.company.name == "Hansa GmbH"


def test_order_within_the_limit_is_confirmed(company, erp, sign_in, place):
    erp.put(company["uri"], {"approval_limit": 1_000_000})

    place(sign_in(BUYER))

    assert Order.objects.get().status == "confirmed"


def test_others_neither_read_nor_decide_requests_of_a_company(company, path, make, sign_in, place):
    approver = sign_in(APPROVER)
    place(sign_in(BUYER))
    action = request_of(approver, path)
    other = make("customer-company", name="Other", approval_limit=1)
    for email, role in (("eve@example.com", "approver"), ("bob@example.com", "buyer")):
        make("company-member", company=other["uri"], email=email, role=role)

    for email in ("eve@example.com", "bob@example.com", BUYER):
        browser = sign_in(email)
        assert "Orders to approve" not in main_of(browser.get(f"{path}account/"))
        assert browser.send(action, decision="approved").status_code == 404
    assert Browser().send(action, decision="approved")["Location"] == f"{path}account/"
    assert Order.objects.get().status == "new"


def test_steps_of_an_approval_never_change(company, sign_in, place):
    place(sign_in(BUYER))

    with pytest.raises(DatabaseError), transaction.atomic():
        OrderApproval.objects.update(person="Mallory")


def test_prices_of_a_group_hold_while_its_customer_is_signed_in(
    path, erp, make, sign_in, place, upload, cube, run_jobs, sliced
):
    (front,) = erp.get("/storefront/").json()["resources"]
    group = make("customer-group", name="Schools")
    half = {"step": "group", "factor": 0.5, "customer_groups": [group["uri"]]}
    erp.post("/price-term/", {"price_list": front["price_list"], "name": "Half", **half})
    make("customer", name="School", email=BUYER, group=group["uri"])
    place(Browser())

    browser = sign_in(BUYER)
    place(browser)

    usual, less = PriceTable.objects.order_by("pk")
    assert less.cells[0]["unit"] == pytest.approx(usual.cells[0]["unit"] / 2, abs=0.01)
    first, second = Order.objects.order_by("pk")
    assert (first.customer.group, second.customer.group.name) == (None, "Schools")
    price = [float(order.line_items.get().price["net"]) for order in (first, second)]
    assert price[1] == pytest.approx(price[0] / 2, abs=0.01)


def test_prices_of_a_group_are_not_ordered_after_the_sign_out(
    path, erp, make, sign_in, upload, cube, run_jobs, sliced
):
    retail = make("price-list", name="Group", country="DE")
    term = {"step": "piece", "unit": "piece", "amount": 3, "name": "Piece"}
    erp.post("/price-term/", {"price_list": retail["uri"], **term})
    group = make("customer-group", name="Schools", price_list=retail["uri"])
    make("customer", name="School", email=BUYER, group=group["uri"])
    browser = sign_in(BUYER)
    uploaded(browser, path, upload, cube)
    run_jobs()
    key = prepared(browser, path, sliced)
    assert PriceTable.objects.get().cells[0]["net"] == 3

    browser.send(f"{path}account/sign-out/")

    answer = browser.send(f"{path}checkout/", key=key, **ADDRESS)
    assert answer.status_code == 409
    assert not Order.objects.exists()


def test_address_is_a_member_of_one_company_of_a_shop(company, erp, make):
    other = make("customer-company", name="Other")

    again = erp.post("/company-member/", {"company": other["uri"], "email": APPROVER.upper()})

    assert again.status_code == 409
    assert again.json()["errors"][0]["code"] == "resource-exists"


def test_companies_are_read_by_who_sees_customers_alone(company, erp, client_of, stranger):
    shop = erp.get("/bureau/").json()["resources"][0]["uri"]
    erp.post("/membership-bureau/", {"bureau": shop, "user": stranger.uri})
    member = client_of("erp", stranger)

    for kind in ("customer-company", "company-member", "order-approval"):
        assert member.get(f"/{kind}/").json()["resources"] == []
    assert member.get(company["uri"]).status_code == 404
    answer = member.post("/customer-company/", {"bureau": shop, "name": "Mine"})
    assert answer.status_code == 403
