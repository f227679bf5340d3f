"""A storefront on a domain of the shop's own: what is there, and what is not."""

import re
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.core.exceptions import ImproperlyConfigured

from apps.erp.actors import send_message
from apps.erp.models import Message, Storefront
from core.outbound.url_policy import ForbiddenUrl, validate_url
from core.web.storefront_domains import read_domains
from tests.console.test_storefront import ADDRESS, ordered, prepared, uploaded
from tests.console.visitor import Browser, main_of, text_of

OWN, BARE = "shop.example.com", "platform.test"


@pytest.fixture
def own(storefront, settings):
    """`own(...)`: the path of a storefront with a domain of its own."""

    def make_one(**values) -> str:
        path = storefront(**values)
        slug = Storefront.objects.get().slug
        settings.STOREFRONT_DOMAINS = {OWN: slug, "other.example": "acme"}
        return path

    return make_one


def test_visitor_orders_at_the_domain_of_the_shop(own, upload, cube, run_jobs, sliced, mailoutbox):
    path, visitor = own(review="instant"), Browser(OWN)
    assert "Drop files here" in main_of(visitor.get("/"))

    uploaded(visitor, path, upload, cube)
    run_jobs()

    assert "Show prices" in main_of(visitor.get("/"))  # the visit is the same on both pages
    assert "Show prices" in main_of(visitor.get(path))
    cookie = visitor.cookies["visit"]
    assert (cookie["domain"], cookie["path"]) == ("", "/")
    page = ordered(visitor, path, sliced)
    assert page.startswith("/o/")
    assert "on its way by e-mail" in text_of(visitor.get(page))
    send_message.fn(str(Message.objects.latest("pk").pk))
    (mail,) = mailoutbox
    address = f"http://{OWN}{page.partition('?')[0]}"
    assert address in mail.body
    assert f'href="{address}"' in mail.alternatives[0].content
    assert BARE not in re.sub(r"http://files\S+", "", mail.body)


def test_uploads_lead_back_to_the_domain_of_the_shop(own):
    path, visitor = own(), Browser(OWN)

    made = visitor.send(f"{path}file/", name="cube", type="stl", key="k1")

    form = visitor.get(made["Location"])
    (upload_to,) = re.findall(r'action="([^"]+/upload/model/[^"]+)"', form.content.decode())
    assert urlsplit(upload_to).hostname == f"files.{BARE}"
    assert f"then=http%3A%2F%2F{OWN}%2Fs%2F" in upload_to
    policy = form["Content-Security-Policy"]
    assert f"connect-src 'self' http://files.{BARE}" in policy
    assert f"form-action 'self' http://files.{BARE}" in policy


@pytest.mark.parametrize(
    "path",
    [
        *("/sign-in/", "/register/", "/order/", "/model/", "/settings/", "/api/", "/health/"),
        *("/metrics/", "/ready/", "/users/", "/sessions/", "/openapi.json", "/docs/", "/bureau/"),
        *("/visit/", "/store/acme/", "/s/acme/", "/s/acme/account/", "/o/unknown/", "/events/"),
        *("/theme/", "/shop/", "/client/manufacturing.whl", "/admin/", "/login/", "/camera/x.jpg"),
    ],
)
def test_nothing_else_is_at_the_domain_of_a_shop(own, path):
    own()

    answer = Browser(OWN).get(path)

    assert answer.status_code == 404
    assert 'href="/sign-in/' not in answer.content.decode()
    assert "session" not in answer.cookies


def test_host_header_of_the_domain_reaches_no_service(own, client_of):
    own()

    for host in (f"erp.{OWN}", f"storefront.{BARE}", "unknown.example", f"{OWN}.evil.example"):
        assert Browser(host).get("/").status_code == 404
    assert Browser(f"{OWN}:8443").get("/").status_code == 200
    assert Browser(OWN.upper()).get("/").status_code == 200


def test_order_of_another_shop_is_not_at_the_domain(own, client_of, stranger):
    own()
    erp = client_of("erp", stranger)
    bureau = erp.post("/bureau/", {"name": "Acme", "currency": "EUR"}).json()["uri"]
    order = erp.post("/order/", {"bureau": bureau, "name": "Gears"}).json()["uri"]
    shared = erp.post("/share-link/", {"order": order}).json()["uri"]
    link = erp.post(f"{shared}link/", {}).json()["link"]
    assert link.startswith(f"http://{BARE}/o/")
    page = urlsplit(link).path

    assert Browser().get(page).status_code == 200
    for path in (page, f"{page}print-reports/", f"{page}decision/{uuid4()}/"):
        assert Browser(OWN).get(path).status_code == 404
    assert Browser(OWN).send(page, name="Jo", key="k").status_code == 404


def test_form_of_another_site_is_refused(own):
    path = own()

    for origin in (f"http://{BARE}", "http://other.example", "https://shop.example.com", "null"):
        sent = Browser(OWN).send(f"{path}visit/", origin=origin)
        assert sent.status_code == 403, origin
    assert Browser().send(f"{path}visit/", origin=f"http://{OWN}").status_code == 403
    assert Browser(OWN).send(f"{path}visit/").status_code == 303


def test_order_page_at_the_bare_domain_leads_to_the_domain_of_the_shop(
    own, upload, cube, run_jobs, sliced
):
    path, visitor = own(review="instant"), Browser(OWN)
    uploaded(visitor, path, upload, cube)
    run_jobs()
    page = ordered(visitor, path, sliced).partition("?")[0]

    answer = Browser().get(page)

    assert (answer.status_code, answer["Location"]) == (302, f"http://{OWN}{page}")
    shown = Browser(OWN).get(page)
    assert "Order #1" in main_of(shown)
    assert f"{path}reorder/" in shown.content.decode()


def test_storefront_is_at_both_hosts_and_canonical_at_its_own(own):
    path = own(origins=["https://www.example.com"])

    for browser, at in ((Browser(), path), (Browser(OWN), path), (Browser(OWN), "/")):
        page = browser.get(at)
        assert f'<link rel="canonical" href="http://{OWN}/">' in page.content.decode()
        assert "frame-ancestors https://www.example.com" in page["Content-Security-Policy"]


def test_console_leads_to_the_domain(own, ada):
    own()
    page = ada.get(f"/storefront/{Storefront.objects.get().pk}/").content.decode()

    assert f'href="http://{OWN}/"' in page


def test_storefront_without_a_domain_is_canonical_at_the_bare_domain(storefront):
    path = storefront()

    page = Browser().get(path).content.decode()

    assert f'<link rel="canonical" href="http://{BARE}{path}">' in page


def test_links_and_files_of_the_pages_are_at_the_domain(own, client_of, person):
    path, browser = own(), Browser(OWN)
    erp = client_of("erp", person)
    shop = erp.get("/bureau/").json()["resources"][0]["uri"]
    assert erp.put(shop, {"accent": "#135724"}).status_code == 204

    for at in ("/", f"{path}account/"):
        page = browser.get(at).content.decode()
        for address in re.findall(r'(?:href|src|action)="(/[^"]*)"', page):
            if address.startswith("/static/"):
                continue
            answer = browser.get(address)
            assert answer.status_code in (200, 303, 405), address
        assert f"http://{BARE}" not in page
    (style,) = re.findall(r'href="(/brand/[^"]+\.css[^"]*)"', browser.get("/").content.decode())
    assert "#135724" in browser.get(style).content.decode()
    chosen = browser.send("/language/", language="de", next=path)
    assert (chosen["Location"], chosen.cookies["language"]["domain"]) == (path, "")


def test_customer_signs_in_by_a_link_at_the_domain(own, upload, cube, run_jobs, sliced, mailoutbox):
    path, visitor = own(review="instant"), Browser(OWN)
    uploaded(visitor, path, upload, cube)
    run_jobs()
    ordered(visitor, path, sliced)
    assert visitor.send(f"{path}account/", email=ADDRESS["email"]).status_code == 303
    run_jobs()

    mail = next(mail for mail in mailoutbox if "/account/link/" in mail.body)
    (address,) = re.findall(r"http://\S+/account/link/\S+/", mail.body)
    assert urlsplit(address).hostname == OWN
    signed_in = visitor.send(urlsplit(address).path)
    assert signed_in["Location"] == f"{path}account/"
    account = visitor.get(f"{path}account/").content.decode()
    assert "Order #1" in account
    assert f'href="http://{OWN}/o/' in account
    assert "customer" not in Browser().cookies


def test_closed_storefront_leaves_the_orders_at_the_domain(own, upload, cube, run_jobs, sliced):
    path, visitor = own(review="instant"), Browser(OWN)
    uploaded(visitor, path, upload, cube)
    run_jobs()
    page = ordered(visitor, path, sliced)
    Storefront.objects.update(enabled=False)

    assert visitor.get("/").status_code == 404
    assert visitor.get(page).status_code == 200


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("shop.example.com", "does not name a domain"),
        ("https://shop.example.com=acme", "does not name a domain"),
        ("shop.example.com:443=acme", "does not name a domain"),
        ("localhost=acme", "does not name a domain"),
        ("shop.example.com=Acme!", "does not name a domain"),
        (f"shop.{BARE}=acme", "belongs to PARENT_HOST"),
        (f"{BARE}=acme", "belongs to PARENT_HOST"),
        ("a.example=acme,A.example.=other", "is there twice"),
    ],
)
def test_wrong_setting_is_refused_at_the_start(entry, reason):
    with pytest.raises(ImproperlyConfigured, match=reason):
        read_domains(entry.split(","), BARE)


def test_setting_names_the_storefront_of_each_domain():
    entries = ["Shop.Example.com=nordform-3d", " other.example = acme "]

    assert read_domains(entries, BARE) == {
        "shop.example.com": "nordform-3d",
        "other.example": "acme",
    }


def test_callbacks_do_not_lead_to_the_domain_of_a_shop(own):
    own()

    with pytest.raises(ForbiddenUrl):
        validate_url(f"https://{OWN}/s/")


def test_prepared_order_has_no_address_of_the_platform(own, upload, cube, run_jobs, sliced):
    path, visitor = own(review="instant"), Browser(OWN)
    uploaded(visitor, path, upload, cube)
    run_jobs()
    assert prepared(visitor, path, sliced)

    page = visitor.get(f"{path}checkout/").content.decode()

    assert f"http://{BARE}" not in page
