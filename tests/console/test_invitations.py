"""Inviting somebody to a shop, and accepting the invitation."""

import re

import pytest

from tests.console.visitor import PASSWORD, Browser, main_of


def invited(ada, role: str) -> str:
    """The path of an invitation link that Ada makes."""
    form = ada.get("/settings/people/invite/").content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]
    page = ada.send("/settings/people/invite/", name="Bo", role=role, key=key)
    assert page.status_code == 201
    assert page["Cache-Control"] == "no-store"
    return re.search(r'value="http://platform.test([^"]+)"', page.content.decode())[1]


def register(name: str) -> Browser:
    browser = Browser()
    made = browser.send(
        "/register/", username=name, name=name, email=f"{name}@example.com", password=PASSWORD
    )
    assert made.status_code == 303
    return browser


def test_invited_person_works_in_the_shop(ada, shop):
    link = invited(ada, "production")
    bo = register("bo")
    assert bo.get(shop).status_code == 404
    assert "Accept invitation" in main_of(bo.get(link))

    answer = bo.send(link)

    assert answer["Location"] == "/?done=joined"
    assert "Production queue" in main_of(bo.get(shop))
    assert bo.send(link).status_code == 404


def test_opening_a_link_does_not_use_it_up(ada, shop):
    link = invited(ada, "viewer")
    bo = register("bo")
    bo.get(link)
    bo.get(link)

    assert bo.send(link).status_code == 303


def test_stranger_signs_in_before_accepting(ada, shop):
    link = invited(ada, "sales")

    answer = Browser().get(link)

    assert answer.status_code == 303
    assert answer["Location"].startswith("/sign-in/?next=%2Finvitation%2F")
    sign_in = Browser().get(answer["Location"]).content.decode()
    register_at = re.search(r'href="(/register/[^"]+)"', sign_in)[1]
    new = {"username": "cy", "name": "Cy", "email": "cy@example.com", "password": PASSWORD}
    made = Browser().send(register_at, **new)
    assert made["Location"].startswith(link)


def test_invitation_needs_a_name_and_a_role(ada, shop):
    refused = ada.send("/settings/people/invite/", name="", role="king", key="k")

    assert refused.status_code == 400
    assert refused.content.decode().count("invalid-feedback") == 2


def test_invited_stranger_registers_where_registration_is_closed(ada, shop, settings):
    link = invited(ada, "sales")
    settings.REGISTRATION = "closed"
    new = {"username": "cy", "name": "Cy", "email": "cy@example.com", "password": PASSWORD}
    sign_in = Browser().get(link)["Location"]
    register_at = re.search(r'href="(/register/[^"]+)"', Browser().get(sign_in).content.decode())[1]

    assert Browser().send("/register/", **new).status_code == 403
    assert Browser().send(register_at.replace(link[-9:-2], "another"), **new).status_code == 403
    cy = Browser()
    made = cy.send(register_at, **new)

    assert made["Location"].startswith(link)
    assert cy.send(link)["Location"] == "/?done=joined"


def rail_of(page) -> str:
    return re.search(r'<nav class="rail".*?</nav>', page.content.decode(), re.DOTALL)[0]


@pytest.mark.parametrize(
    ("role", "sells", "receives", "makes"),
    [
        ("owner", True, True, True),
        ("production", False, True, True),
        ("sales", True, False, True),
        ("viewer", False, False, False),
    ],
)
def test_each_role_has_the_entries_that_it_can_use(ada, shop, role, sells, receives, makes):
    bo = register("bo")
    bo.send(invited(ada, role))

    front = bo.get("/queue/", follow=True)
    settings_of_bo = bo.get("/settings/").content.decode()

    assert ('href="/customer/"' in rail_of(front)) is sells
    assert ('href="/storefront/"' in rail_of(front)) is sells
    assert ('href="/customer/new/"' in front.content.decode()) is sells
    assert ('href="/stock/new/"' in front.content.decode()) is receives
    assert ('href="/order/new/"' in front.content.decode()) is makes
    assert ('href="/price-list/"' in settings_of_bo) is sells
    assert ('href="/settings/people/"' in settings_of_bo) is (role == "owner")
    assert 'href="/security/"' in settings_of_bo
