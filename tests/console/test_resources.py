"""The generic pages of resources: form of a new one, its page, changes, deletion."""

import html
import re
from uuid import uuid4

import pytest

from apps.console.domain.resources.resource_kinds import BY_NAME, KINDS
from apps.console.domain.resources.resource_labels import FIELDS
from apps.console.views.base import names
from apps.erp.models import Bureau, Customer, Location, Material, Order, Printer, Stock, Workflow
from apps.users.models import User
from tests.console.visitor import MISSING, PASSWORD, Browser, drop, main_of, text_of

UUID_TEXT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# What a form of each kind is filled with; `location=0` is the first choice of the field.
FIRST = 0
VALUES: dict[str, dict[str, object]] = {
    "location": {"name": "Room 2", "phone": "0421 1"},
    "printer": {"name": "Printer 2", "location": FIRST, "printer_type": FIRST, "driver": "manual"},
    "printer-type": {"name": "Large", "build_volume.x": "300", "build_volume.y": "300",
                     "build_volume.z": "400", "packing_mode": "plate"},
    "agent": {"name": "Pi", "location": FIRST},
    "maintenance-task": {"name": "Lubricate rods", "printer_type": FIRST, "interval.hours": "200"},
    "maintenance-entry": {"printer": FIRST, "name": "Belt replaced"},
    "material": {"name": "PETG black", "filament_type": "PETG", "cost": "0.04"},
    "manufacturer": {"name": "Maker", "contact.name": "Mia"},
    "post-processor-type": {"name": "Smoothing", "cost": "2"},
    "shipping": {"name": "Parcel", "cost": "4.9"},
    "service-provider": {"name": "Anodiser"},
    "third-party": {"name": "Partner"},
    "workflow": {"name": "Print and smooth"},
    "process-step": {"workflow": FIRST, "process_type": FIRST, "step_position": "2"},
    "working-calendar": {"name": "Weekdays", "weekdays": "0\n1\n2", "holidays": "2027-01-01"},
    "price-list": {"name": "Retail", "country": "DE", "language": "de"},
    "tax-rule": {"name": "VAT 19", "category": "S", "rate": "19", "country": "DE"},
    "currency-conversion": {"currency": "USD", "value": "1.08"},
    "customer-group": {"name": "Schools"},
    "customer-company": {"name": "Hansa GmbH", "approval_limit": "500"},
    "process-limits": {"process": "sls", "wall_risk": "0.7"},
    "document-series": {"type": "invoice", "prefix": "RE-", "next": "7"},
    "bank-account": {"account_holder": "Hansa GmbH", "iban": "DE89370400440532013000",
                     "term_days": "14"},
    "customer": {"name": "Hansa GmbH", "email": "office@hansa.example", "country": "DE"},
    "stock": {"location": FIRST, "material": FIRST, "lot": "L-77", "quantity": "750"},
    "permission-bureau": {"user": FIRST, "right": "price.all"},
    "subscription": {"url": "https://hooks.example.com/orders", "events": "order.new"},
    "webhook-secret": {},
}  # fmt: skip
# Kinds whose form needs something of another kind that a new shop does not have.
AFTER: dict[str, tuple[str, dict[str, object]]] = {
    "post-processor": ("post-processor-type",
                       {"name": "Basin", "location": FIRST, "post_processor_type": FIRST}),
    "price-term": ("price-list",
                   {"name": "Hour", "price_list": FIRST, "step": "piece", "amount": "3.9",
                    "unit": "hour"}),
    "company-member": ("customer-company",
                       {"company": FIRST, "email": "kai@hansa.example", "role": "approver"}),
    "storefront": ("price-list", {"slug": "hansa-3d", "price_list": FIRST}),
    "stock-movement": ("stock", {"stock": FIRST, "kind": "receipt", "amount": "12"}),
}  # fmt: skip


def first_choice(page: str, name: str) -> str:
    """The first value that a select of a page offers."""
    (select,) = re.findall(rf'<select name="{re.escape(name)}".*?</select>', page, re.DOTALL)
    return html.unescape(next(v for v in re.findall(r'value="([^"]*)"', select) if v))


def create(browser: Browser, kind: str, values: dict[str, object], query: str = ""):
    """Send the form of a new resource, with what it presets."""
    path = f"/{kind}/new/{query}"
    shown = browser.get(path)
    assert shown.status_code == 200, (kind, shown.get("Location"), text_of(shown))
    page = shown.content.decode()
    fields = {k: first_choice(page, k) if v is FIRST else v for k, v in values.items()}
    hidden = dict(re.findall(r'<input type="hidden" name="(bureau|key)" value="([^"]*)"', page))
    return browser.send(path, **{**hidden, **fields})


def made(browser: Browser, kind: str, values: dict[str, object]) -> str:
    """The path of a new resource."""
    answer = create(browser, kind, values)
    errors = re.findall(
        r'(?:invalid-feedback|role="alert")[^>]*>(.*?)</', answer.content.decode(), re.DOTALL
    )
    assert answer.status_code == 303, (kind, errors)
    return answer["Location"].partition("?")[0]


@pytest.mark.parametrize("kind", [*VALUES, *AFTER])
def test_resource_is_created_shown_listed_and_deleted(ada, shop, kind):
    values = VALUES.get(kind)
    if values is None:
        needed, values = AFTER[kind]
        made(ada, needed, VALUES[needed])

    path = made(ada, kind, values)

    page, listed = ada.get(path), ada.get(BY_NAME[kind].path)
    assert (page.status_code, listed.status_code) == (200, 200)
    assert path in listed.content.decode()
    name = values.get("name") or values.get("lot") or values.get("url") or ""
    for shown in (main_of(page), main_of(listed)):
        assert str(name) in html.unescape(shown)
        assert MISSING.findall(shown) == []
        assert UUID_TEXT.findall(shown) == []
    # The last secret is not deleted while there are webhooks that it signs.
    if f"{path}delete/" in page.content.decode() and kind != "webhook-secret":
        assert ada.get(f"{path}delete/").status_code == 200
        assert ada.send(f"{path}delete/").status_code == 303
        assert path not in ada.get(BY_NAME[kind].path).content.decode()


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS if kind.name != "bureau"])
def test_every_kind_has_a_list_and_a_form(ada, shop, kind):
    assert ada.get(BY_NAME[kind].path).status_code == 200
    form = ada.get(f"/{kind}/new/")
    assert form.status_code == (200 if BY_NAME[kind].creates else 404)


def test_every_kind_of_the_documents_and_every_field_has_a_name(ada, shop):
    ada.get("/customer/")
    ada.get("/subscription/")

    seen_pages = names._documents["erp"] | names._documents["callbacks"]
    own_pages = {
        "card-account",
        "message-template",
        "notification-channel",
        "staff-notification",
    }
    assert seen_pages.keys() - BY_NAME.keys() == {"recall", "callback-sink", *own_pages}
    assert BY_NAME.keys() <= seen_pages.keys()
    fields = {field.name for name in BY_NAME for field in seen_pages[name].shown}
    assert fields - FIELDS.keys() == set()
    for kind in KINDS:
        assert set(kind.columns) <= {field.name for field in seen_pages[kind.name].shown}, kind.name


def test_wrong_values_are_reported_at_their_fields(ada, shop):
    refused = create(ada, "customer", {"name": "Hansa", "country": "germany"})
    page = refused.content.decode()
    assert refused.status_code == 400
    assert 'id="id_country_error"' in page
    assert 'value="germany"' in page

    refused = create(ada, "material", {"name": "PLA", "cost": "-1"})
    assert refused.status_code == 400
    assert 'id="id_cost_error"' in refused.content.decode()
    assert 'id="id_name_error"' in create(ada, "location", {"name": ""}).content.decode()
    refused = create(ada, "working-calendar", {"name": "Days", "weekdays": "0\nmonday"})
    assert 'id="id_weekdays_error"' in refused.content.decode()
    assert Customer.objects.count() == 0


def test_errors_name_resources_by_their_names(ada, shop):
    made(ada, "stock", VALUES["stock"])
    refused = create(ada, "stock-movement", {"stock": FIRST, "kind": "use", "amount": "12"})

    assert refused.status_code == 409
    assert "how much came of PLA · L-77" in text_of(refused)


def test_form_sent_twice_creates_one_resource(ada, shop):
    fields = {"name": "Twice", "key": str(uuid4()), "bureau": Bureau.objects.get().uri}
    first = ada.send("/customer/new/", **fields)
    second = ada.send("/customer/new/", **fields)

    assert (first.status_code, first["Location"]) == (303, second["Location"])
    assert Customer.objects.count() == 1


def test_printer_is_renamed_and_its_own_page_is_shown(ada, shop):
    path = f"/printer/{Printer.objects.get().pk}/"
    page = ada.get(f"{path}edit/")
    assert 'value="Printer 1"' in page.content.decode()
    assert 'name="location"' not in page.content.decode(), "it is fixed at creation"

    kind = first_choice(page.content.decode(), "printer_type")
    sent = ada.send(f"{path}edit/", name="Left", printer_type=kind, driver="manual")

    assert sent["Location"] == f"{path}?done=saved"
    assert "Left" in text_of(ada.get(path))
    assert Printer.objects.get().driver == "manual"


def test_order_gets_a_customer_and_a_due_date(ada, shop, client_of, person):
    bureau = Bureau.objects.get().uri
    order = client_of("erp", person).post("/order/", {"bureau": bureau, "name": "Nr. 7"}).json()
    path = order["uri"].removeprefix("http://erp.platform.test")
    customer = made(ada, "customer", VALUES["customer"])
    uri = f"http://erp.platform.test{customer}"

    sent = ada.send(f"{path}edit/", name="Nr. 7", customer=uri, due_date="2030-05-06T16:00")

    assert sent.status_code == 303, text_of(sent)
    row = Order.objects.get()
    assert (row.customer.name, row.due_date.isoformat()) == (
        "Hansa GmbH",
        "2030-05-06T16:00:00+00:00",
    )
    assert "Hansa GmbH" in text_of(ada.get("/order/"))
    assert "Orders" in text_of(ada.get(customer))


def test_value_is_removed_by_an_empty_field(ada, shop):
    path = made(ada, "material", {**VALUES["material"], "description": "Matt"})
    sent = ada.send(f"{path}edit/", name="PETG black", filament_type="PETG", cost="0.04")

    assert sent.status_code == 303, text_of(sent)
    assert Material.objects.get(name="PETG black").description in (None, "")


def test_arguments_of_the_address_preset_a_form(ada, shop):
    other = made(ada, "location", VALUES["location"])
    uri = f"http://erp.platform.test{other}"
    page = ada.get("/printer/new/", {"location": uri, "name": "Third"}).content.decode()

    assert 'value="Third"' in page
    assert re.search(rf'<option value="{re.escape(uri)}" selected', page)
    sent = create(ada, "stock", {**VALUES["stock"], "location": uri})
    assert sent.status_code == 303
    assert Stock.objects.get().location == Location.objects.get(name="Room 2")


def test_page_leads_to_what_refers_to_the_resource(ada, shop):
    workflow = f"/workflow/{Workflow.objects.get().pk}/"
    page = ada.get(workflow).content.decode()
    (steps,) = {html.unescape(p) for p in re.findall(r'href="(/process-step/\?[^"]+)"', page)}

    assert "Print · 1" in html.unescape(text_of(ada.get(steps)))
    assert "/process-step/new/?workflow=http" in page


def test_long_select_is_searched(ada, shop, monkeypatch):
    monkeypatch.setattr("apps.console.views.generic.resource_fields.MAX_OFFERED", 2)
    for name in ("Ahlers", "Berg", "Zimmer"):
        made(ada, "customer-group", {"name": name})
    page = ada.get("/customer/new/").content.decode()
    assert "Zimmer" not in page
    assert 'name="find.group"' in page

    rows = ada.send("/customer/new/", **{"find": "group", "find.group": "zim", "name": "Typed"})

    assert rows.status_code == 200
    assert "Zimmer" in text_of(rows)
    assert 'value="Typed"' in rows.content.decode()
    assert Customer.objects.count() == 0


def test_member_without_rights_sees_no_edit_actions(ada, shop, person, client_of):
    carol = User.objects.create_user("carol", "carol@example.com", PASSWORD, name="Carol")
    joins = {"bureau": Bureau.objects.get().uri, "user": carol.uri}
    assert client_of("erp", person).post("/membership-bureau/", joins).status_code == 201
    browser = Browser()
    browser.send("/sign-in/", username="carol", password=PASSWORD)
    path = f"/material/{Material.objects.get().pk}/"

    for page in (browser.get(path), browser.get("/material/")):
        assert f"{path}edit/" not in page.content.decode()
        assert f"{path}delete/" not in page.content.decode()
        assert "/material/new/" not in page.content.decode()
    assert "/material/new/" in ada.get("/material/").content.decode()
    assert browser.get(f"{path}edit/").status_code == 403
    assert browser.send(f"{path}delete/").status_code == 403
    assert browser.get("/material/new/").status_code == 403
    assert browser.send("/material/new/", name="Hers").status_code == 403
    assert f"{path}edit/" in ada.get(path).content.decode()


def test_stranger_gets_404_and_anonymous_user_the_sign_in(ada, shop, stranger):
    path = f"/material/{Material.objects.get().pk}/"
    bob, anyone = Browser(), Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    for below in ("", "edit/", "delete/"):
        assert bob.get(f"{path}{below}").status_code == 404
        assert anyone.get(f"{path}{below}")["Location"].startswith("/sign-in/")
    for path in ("/material/", "/material/new/", "/settings/", "/settings/people/"):
        assert anyone.get(path)["Location"].startswith("/sign-in/")
    assert bob.get("/material/new/")["Location"] == "/bureau/"
    assert bob.get("/sandwich/").status_code == 404


def test_part_that_a_field_names_is_shown_by_its_name(ada, shop):
    part = drop(ada, "Bracket")["Location"]
    uri = f"http://models.platform.test{part}"
    path = made(ada, "model-library", {"name": "Stock bracket", "model": uri})

    assert re.search(rf'href="{part}"><bdi>Bracket<', ada.get(path).content.decode())


def test_people_and_their_rights_are_listed_granted_and_revoked(ada, shop):
    carol = User.objects.create_user("carol", "carol@example.com", PASSWORD, name="Carol")
    joined = create(ada, "membership-bureau", {"user": str(carol.pk)})
    assert joined.status_code == 303, main_of(joined)
    page = ada.get("/settings/people/")
    assert "Carol Orders and production, no other rights" in main_of(page)

    granted = create(ada, "permission-bureau", {"user": carol.uri, "right": "price.all"})
    assert granted.status_code == 303, main_of(granted)
    page = ada.get("/settings/people/").content.decode()
    (revoke,) = re.findall(r'href="([^"]+)" aria-label="Revoke from Carol: See and edit pri', page)
    assert ada.send(revoke).status_code == 303
    assert "Revoke from Carol" not in ada.get("/settings/people/").content.decode()

    browser = Browser()
    browser.send("/sign-in/", username="carol", password=PASSWORD)
    seen = browser.get("/settings/people/").content.decode()
    assert "Carol" in seen
    assert "/permission-bureau/new/" not in seen


def test_settings_show_the_shop_beside_all_entries(ada, shop):
    page = ada.get("/settings/").content.decode()
    assert "EUR" in page
    assert f"{shop}edit/" in page
    for path in ("/location/", "/material/", "/price-list/", "/subscription/", "/security/"):
        assert f'<a href="{path}"' in page

    sent = ada.send(f"{shop}edit/", **{"name": "Parts Ltd", "currency": "EUR"})
    assert sent.status_code == 303, main_of(sent)
    assert Bureau.objects.get().name == "Parts Ltd"


def test_unit_of_a_field_is_shown_once(ada, shop):
    page = text_of(ada.get("/process-limits/new/"))

    assert "Walls: fault below (mm)" in page
    assert "(mm) (mm)" not in page
