"""Notifications in the top bar, on their page, and in the settings."""

import re

import pytest

from apps.erp.models import Order
from apps.users.models import Notification
from apps.users.services.notifications import Kind, notify
from tests.console.test_share_links import draft, new_link  # noqa: F401  fixture
from tests.console.test_storefront import ordered, uploaded
from tests.console.visitor import Browser, drop, main_of, text_of

ORDER = "http://erp.platform.test/order/01900000-0000-7000-8000-000000000002/"
PRINTER = "http://erp.platform.test/printer/01900000-0000-7000-8000-000000000003/"


@pytest.fixture
def happen(person):
    """`happen(Kind.ORDER_RECEIVED, ORDER, number=12)`: the person is notified."""

    def make(kind: str, subject: str, **data: object) -> None:
        notify(recipients=[person.pk], kind=kind, subject=subject, data=data)

    return make


def menu_of(page) -> str:
    """The menu of notifications in the top bar."""
    return page.content.decode().partition('id="notification-menu"')[2].partition("</details>")[0]


def test_menu_has_the_number_and_the_newest_of_unread_notifications(ada, happen):
    assert 'aria-label="Notifications"' in menu_of(ada.get("/more/"))
    happen(Kind.ORDER_RECEIVED, ORDER, number=12, customer="Bauer")
    happen(Kind.PRINTER_ATTENTION, PRINTER, printer="Prusa 1", reason="paused", build="Night")
    happen(Kind.PRINTER_ATTENTION, PRINTER, printer="Prusa 1", reason="failed", build="Night")

    menu = menu_of(ada.get("/more/"))

    assert 'aria-label="Notifications, 2 unread"' in menu
    assert "Order #12 received from Bauer" in menu
    assert "Prusa 1: print failed" in menu
    assert "Night · 2 times" in menu
    german = menu_of(ada.get("/more/", headers={"accept-language": "de"}))
    assert "Auftrag #12 von Bauer eingegangen" in german


def test_document_that_was_not_issued_says_what_to_do(ada, happen):
    happen(Kind.DOCUMENT_NOT_ISSUED, ORDER, number=12, document="invoice", reason="tax-unclear")

    assert "Order #12: invoice not issued. A price or tax is missing" in menu_of(ada.get("/more/"))


def test_opened_notification_is_read_and_leads_to_its_subject(ada, happen):
    happen(Kind.ORDER_REVIEW, ORDER, number=12, customer="Bauer")
    path = f"/notifications/{Notification.objects.get().pk}/"
    assert f'action="{path}"' in menu_of(ada.get("/more/"))

    opened = ada.send(path)

    assert (opened.status_code, opened["Location"]) == (303, ORDER.partition(".test")[2])
    assert 'aria-label="Notifications"' in menu_of(ada.get("/more/"))
    assert Notification.objects.get().read is not None
    assert ada.send(path, next="//evil.example/")["Location"] == "/"
    assert Browser().send(path)["Location"].startswith("/sign-in/")


def test_page_lists_filters_and_marks_all_as_read(ada, happen):
    assert "No notifications yet." in main_of(ada.get("/notifications/"))
    happen(Kind.ORDER_RECEIVED, ORDER, number=12, customer="Bauer")
    happen(Kind.BED_TO_CLEAR, PRINTER, printer="Prusa 1", build="Night")

    page = ada.get("/notifications/?state=unread&kind=bed-to-clear")
    assert "Prusa 1: print ended, clear the bed" in main_of(page)
    assert "Order #12" not in main_of(page)
    assert "Order received 1" in main_of(page)
    shown = ada.get("/notifications/").content.decode()
    until = re.search(r'name="until" value="([^"]+)"', shown)[1]
    happen(Kind.JOB_FAILED, ORDER.replace("order", "model"), name="bracket")

    marked = ada.send("/notifications/read/", until=until, next="/notifications/?state=unread")

    assert marked["Location"] == "/notifications/?state=unread"
    page = main_of(ada.get(marked["Location"]))
    assert "Analysis failed: bracket" in page
    assert "Prusa 1" not in page
    assert "Prusa 1" in main_of(ada.get("/notifications/"))


def test_pages_of_notifications_keep_the_filters(ada, person):
    Notification.objects.bulk_create(
        Notification(recipient=person, kind="order-review", subject=f"{ORDER}?{at}", data={})
        for at in range(51)
    )

    first = ada.get("/notifications/?kind=order-review").content.decode()
    link = re.search(r'href="(/notifications/\?kind=order-review&amp;page[^"]+)"', first)[1]
    second = main_of(ada.get(link.replace("&amp;", "&")))

    assert first.count("<bdi>Order # from") >= 50
    assert second.count("needs a review") == 1


def test_kinds_are_chosen_in_the_settings(ada, person, happen):
    assert "Printer needs attention" in main_of(ada.get("/settings/notifications/"))

    saved = ada.send("/settings/notifications/", kind=["order-received", "job-failed"])

    assert saved["Location"] == "/settings/notifications/?done=saved"
    person.refresh_from_db()
    assert set(person.muted_notifications) == {
        "order-review",
        "approval-declined",
        "document-not-issued",
        "print-decision",
        "quote-accepted",
        "printer-attention",
        "bed-to-clear",
        "material-low",
        "maintenance-due",
    }
    page = ada.get("/settings/notifications/").content.decode()
    assert re.findall(r'value="([a-z-]+)" checked', page) == ["order-received", "job-failed"]


def test_pages_of_notifications_need_an_account(browser):
    for path in ("/notifications/", "/settings/notifications/"):
        assert browser.get(path)["Location"].startswith("/sign-in/")


def test_failed_analysis_is_notified_to_its_owner(ada, upload, run_jobs):
    path = drop(ada, "bracket")["Location"]
    upload({"uri": path}, b"solid nothing")
    run_jobs()

    assert "Analysis failed: bracket" in text_of(ada.get("/notifications/"))


def test_quote_accepted_by_a_customer_is_notified(ada, draft):  # noqa: F811
    ada.send(draft, action="offer")
    link = new_link(ada, draft)
    customer = Browser()
    form = customer.get(link).content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]

    assert customer.send(link, key=key, name="Joost van Dijk").status_code == 303

    sentence = "Joost van Dijk accepted the quote of order #1"
    assert sentence in main_of(ada.get("/notifications/"))


@pytest.mark.parametrize(
    ("review", "kind"), [("always", "order-review"), ("instant", "order-received")]
)
def test_order_of_a_storefront_is_notified(
    storefront,
    upload,
    cube,
    run_jobs,
    sliced,
    ada,
    review,
    kind,
):
    path, visitor = storefront(review=review), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()

    ordered(visitor, path, sliced)

    row = Notification.objects.get()
    assert (row.kind, row.subject) == (kind, Order.objects.get().uri)
    assert row.data == {"number": 1, "customer": "Van Dijk BV"}
