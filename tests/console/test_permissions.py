"""Who sees which page: exactly those who may read its resource."""

from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from apps.console.urls import urlpatterns
from apps.erp.base.models.access import share_gcode
from apps.erp.models import (
    Attempt,
    Bureau,
    Customer,
    LineItem,
    Order,
    PriceTable,
    Printer,
    PrintReport,
    Run,
)
from apps.erp.production.services.runs import create_run
from apps.slicing.models import Gcode, Slice
from apps.users.models import User
from tests.console.visitor import PASSWORD, Browser, ask, main_of, order, sell, text_of

# Pages of nobody's, of those who are signed in, and such as only take forms.
OF_ALL = {"welcome", "sign-in", "sign-in-by-link", "register", "api"}
OF_ACCOUNTS = {
    "security",
    "more",
    "search",
    "scan",
    "models",
    "shops",
    "new-order",
    "failures",
    "printers",
    "queue",
    "wall",
    "failure-rates",
    "invite",
    "accept-invitation",
    "order-link",
    "print-decision",
    "shared-reports",
    "embed",
    "store",
    "store-checkout",
    "store-account",
    "store-account-link",
    "store-details",
    "store-file",
    "add-printer",
    "emails",
    "channels",
    "payment-settings",
    "message-text",
    "notifications",
    "notification-settings",
    "connections",
    "slicers",
    "profiles",
    "compare-profiles",
    "cura-profile",
    "upload-gcode",
    "import-customers",
    "customers-sample",
    "add-host",
}
# Pages of all kinds, which test_resources.py covers.
GENERIC = {"settings", "people", "printer-list", "resource-list", "new-resource", "resource"}
GENERIC |= {"edit-resource", "delete-resource"}
# Of a printer type with a preset of another slicer: test_printer_gcode.py.
OF_PRESETS = {"printer-gcode"}
ONLY_FORMS = {
    "sign-out",
    "store-visit",
    "store-files",
    "store-prices",
    "store-cart",
    "store-reorder",
    "store-approval",
    "store-sign-out",
    "language",
    "theme",
    "choose-shop",
    "mark-notifications",
    "open-notification",
    "rename-model",
    "saved-views",
    "label-models",
    "delete-model",
    "scale-model",
    "model-profile",
    "model-around",
    "sample-shop",
    "send-message",
    "repair-model",
    "sample",
    "search-hosts",
}
# Pages of one resource, and whose page each is.
PAGES = {
    "model": "model",
    "slice-model": "model",
    "new-version": "model",
    "model-prices": "model",
    "similar-models": "model",
    "slice": "slice",
    "gcode": "gcode",
    "board": "bureau",
    "shop-prices": "bureau",
    "price-table": "price-table",
    "location": "location",
    "printer": "printer",
    "connection": "printer",
    "maintenance": "printer",
    "run": "run",
    "run-labels": "run",
    "customer": "customer",
    "order": "order",
    "share-links": "order",
    "order-payments": "order",
    "partial-document": "order",
    "print-report": "print-report",
    "order-reports": "order",
    "line-item": "line-item",
    "piece": "piece",
    "attempt": "attempt",
}
# Pages of these that need the right to see prices.
OF_SELLERS = {"order-payments", "partial-document", "model-prices", "shop-prices", "price-table"}
# What viewers on these pages fetch, which is there when it is made.
FETCHED = {
    "model-preview": ("model", "preview/"),
    "slice-paths": ("slice", "paths/"),
    "gcode-paths": ("gcode", "paths/"),
    "run-plate": ("run", "plate/"),
}
BELOW = {
    "slice-model": "slice/",
    "new-version": "version/",
    "connection": "connection/",
    "run-labels": "labels/",
    "order-payments": "payments/",
    "partial-document": "invoice/",
    "order-reports": "print-reports/",
    "model-prices": "prices/",
    "similar-models": "similar/",
    "shop-prices": "prices/",
}


def test_every_url_has_an_access_class():
    names = {route.name for route in urlpatterns}

    classes = OF_ALL | OF_ACCOUNTS | ONLY_FORMS | GENERIC | OF_PRESETS
    assert names == classes | PAGES.keys() | FETCHED.keys()


def report_of(order: Order, part: str, person: User) -> PrintReport:
    """A report without findings, of the line item of an order."""
    return PrintReport.objects.create(
        bureau=order.bureau,
        order=order,
        line_item=order.line_items.get(),
        model_uri=f"http://models.platform.test{part}",
        status="processed",
        limits={
            **{"process": "fdm", "wall_fault": 0.5, "wall_risk": 1, "gap_risk": 0.4},
            **{"shell_risk": 2, "decision_from": None},
        },
        creator=person,
    )


@pytest.fixture
def shown(ada, person, part, shop, client_of) -> dict[str, str]:
    """URIs by kind: of a shop with a part, its slice, its prices, an order and a run."""
    assert sell(ada, shop).status_code == 303
    assert ask(ada, part).status_code == 303
    assert order(ada, part).status_code == 303
    bureau, printer = Bureau.objects.get(), Printer.objects.get()
    item = LineItem.objects.create(
        bureau=bureau,
        workflow=LineItem.objects.get().workflow,
        name="Cube",
        quantity=1,
        no_model_upload=True,
        status="pending",
        creator=person,
    )
    assert client_of("erp", person).put(item.uri, {"status": "confirmed"}).status_code == 204
    run = create_run(
        actor=person,
        bureau=bureau,
        name="Night",
        operation="printing",
        pieces=list(item.pieces.all()),
        printer_type=printer.printer_type,
        status=Run.Status.CALCULATED,
    )
    attempt = Attempt.objects.create(
        bureau=bureau, run=run, printer=printer, name="n.gcode", status="never", creator=person
    )
    figures = {"build_time_seconds": 60, "build_volume_cc": 1, "support_volume_cc": 0, "layers": 1}
    gcode = Gcode.objects.create(owner=person, status="processed", figures=figures, metadata={})
    share_gcode(gcode.uri, bureau=bureau, user=person)
    rows = (
        gcode,
        bureau,
        printer,
        printer.location,
        run,
        attempt,
        Order.objects.get(),
        PriceTable.objects.get(),
        Customer.objects.create(bureau=bureau, name="Smith"),
    )
    return {
        "model": f"http://models.platform.test{part}",
        "slice": Slice.objects.filter(owner=person).first().uri,
        "line-item": LineItem.objects.exclude(pk=item.pk).get().uri,
        "print-report": report_of(Order.objects.get(), part, person).uri,
        "piece": item.pieces.get().uri,
        **{row.KIND: row.uri for row in rows},
    }


def signed_in(account: User) -> Browser:
    browser = Browser()
    sent = browser.send("/sign-in/", username=account.username, password=PASSWORD)
    assert sent.status_code == 303
    return browser


def test_page_is_visible_exactly_to_readers_of_its_resource(
    shown, person, stranger, operator, client_of
):
    carol = User.objects.create_user("carol", "carol@example.com", PASSWORD, name="Carol")
    joins = {"bureau": shown["bureau"], "user": carol.uri}
    made = client_of("erp", person).post("/membership-bureau/", joins)
    assert made.status_code == 201, made.json()
    seen = {}

    for account in (person, carol, stranger, operator):
        browser = signed_in(account)
        for name, kind in PAGES.items():
            host = urlsplit(shown[kind]).hostname.split(".")[0]
            told = client_of(host, account).get(shown[kind]).status_code
            path = urlsplit(shown[kind]).path + BELOW.get(name, "")
            page = browser.get(path, follow=True)
            if account == carol and name in OF_SELLERS:
                assert page.status_code == 403, name
                assert "Ask: Ada" in text_of(page)
                continue
            assert page.status_code == told, (account.username, name, text_of(page))
            seen[account.username, name] = told

    bob = signed_in(stranger)
    for kind, below in FETCHED.values():
        assert bob.get(f"{urlsplit(shown[kind]).path}{below}").status_code == 404
    assert seen.pop(("carol", "customer")) == 404  # which takes the right to customers
    assert {told for (who, _), told in seen.items() if who == "bob"} == {404}
    assert {told for (who, _), told in seen.items() if who != "bob"} == {200}


def test_anonymous_user_is_redirected_to_sign_in_from_every_page(browser):
    for name, kind in PAGES.items():
        page = browser.get(f"/{kind}/{uuid4()}/{BELOW.get(name, '')}")

        assert page.status_code == 303, name
        assert page["Location"].startswith("/sign-in/")


def test_reader_of_a_model_sees_no_edit_actions(shown, person, stranger, client_of):
    held = {"holder": stranger.uri, "namespace": "models", "object": shown["model"]}
    rights = client_of("users", person)
    path = urlsplit(shown["model"]).path
    bob, ada = signed_in(stranger), signed_in(person)
    assert "Delete" in text_of(ada.get(path))

    rights.post("/permissions/", {**held, "right": "read"})
    assert "Rename" not in text_of(bob.get(path))
    assert "Delete" not in text_of(bob.get(path))

    rights.post("/permissions/", {**held, "right": "write"})
    assert "/rename/" in bob.get(path).content.decode()
    assert "/delete/" not in bob.get(path).content.decode()


def test_member_clears_a_bed_but_cannot_change_the_driver(shown, person, client_of):
    carol = User.objects.create_user("carol", "carol@example.com", PASSWORD, name="Carol")
    joins = {"bureau": shown["bureau"], "user": carol.uri}
    client_of("erp", person).post("/membership-bureau/", joins)
    path = urlsplit(shown["printer"]).path
    Printer.objects.update(driver="")

    assert "Operate manually" in text_of(signed_in(person).get(path))
    assert "Operate manually" not in text_of(signed_in(carol).get(path))


def test_member_without_the_right_sees_no_costs_and_prices(shown, person, client_of):
    carol = User.objects.create_user("carol", "carol@example.com", PASSWORD, name="Carol")
    joins = {"bureau": shown["bureau"], "user": carol.uri}
    client_of("erp", person).post("/membership-bureau/", joins)
    order, model = (urlsplit(shown[kind]).path for kind in ("order", "model"))
    owner, member = signed_in(person), signed_in(carol)

    for path, text in ((order, "Total"), (model, "Calculate prices")):
        assert text in main_of(owner.get(path))
        assert text not in main_of(member.get(path))
