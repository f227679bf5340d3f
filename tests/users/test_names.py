"""Names that pass for others, and superusers among staff: over HTTP."""

import pytest
from django.core.management import call_command
from django.test import Client

from apps.users.models import Login, User
from tests.users.conftest import PASSWORD

EVE = {"email": "eve@example.com", "name": "Eve", "password": "a sentence of eve"}


@pytest.fixture
def chief(db) -> User:
    return User.objects.create_superuser("chief", "chief@example.com", PASSWORD, name="Chief")


def pages_of(user: User) -> Client:
    """The operators' pages as `user` sees them."""
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": user.username, "password": PASSWORD})
    return client


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        ("root", "ROOT"),
        ("root", "гоот"),  # Cyrillic, each letter of it
        ("pop", "рор"),
        ("рор", "pop"),
        ("Straße", "STRASSE"),
        ("root", "rοοt"),  # Greek in the middle
        ("anybody", "аdmin"),
        ("anybody", "ada.лавлейс"),
    ],
)
def test_confusable_or_mixed_script_user_name_is_rejected(client_of, db, taken, name):
    User.objects.create_user(taken, "root@example.com", PASSWORD)

    answer = client_of("users").post("/users/", {**EVE, "username": name})

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == ("property-value-not-in-allowed-values", "username")
    assert User.objects.count() == 1


@pytest.mark.parametrize("name", ["bob1", "josé", "лавлейс", "田中さん", "김民", "ada_1.x"])
def test_single_script_user_name_is_accepted(client_of, db, name):
    for taken in ("bobl", "jose"):
        User.objects.create_user(taken, "root@example.com", PASSWORD)

    answer = client_of("users").post("/users/", {**EVE, "username": name})

    assert answer.status_code == 201, answer.json()


def test_user_name_of_deleted_account_can_be_reused(client_of, root, person):
    root.delete(person.uri)

    assert client_of("users").post("/users/", {**EVE, "username": "ADA"}).status_code == 201


def test_admin_rejects_confusable_user_name(chief):
    client = pages_of(chief)
    User.objects.create_user("pop", "pop@example.com", PASSWORD)
    form = {**EVE, "username": "рор", "usable_password": "true"}
    form |= {"password1": EVE["password"], "password2": EVE["password"]}

    page = client.post("/users/user/add/", form)

    assert page.status_code == 200
    assert "one that looks like it" in page.content.decode()
    assert User.objects.count() == 2


# ---------------------------------------------------------------- superusers


def test_staff_cannot_change_superuser_by_api(root, client_of, chief, person):
    refused = [
        root.put(chief.uri, {"name": "Eve"}),
        root.put(chief.uri, {"password": "quite another phrase"}),
        root.delete(chief.uri),
    ]

    assert [answer.status_code for answer in refused] == [403, 403, 403]
    assert refused[0].json()["errors"][0]["code"] == "Unauthorized"
    assert root.put(person.uri, {"name": "Countess"}).status_code == 204
    assert client_of("users", chief).put(chief.uri, {"name": "Boss"}).status_code == 204


def test_staff_cannot_change_superuser_in_admin(operator, chief, person, sign_in):
    sign_in("chief")
    client = pages_of(operator)
    pages = [f"/users/user/{user.pk}/password/" for user in (chief, person)]

    found = [client.get(page).status_code for page in pages]
    changed = client.post(f"/users/user/{chief.pk}/change/", {"username": "gone"})
    chosen = {"action": "end", "_selected_action": [str(Login.objects.get().pk)]}
    ended = client.post("/users/login/", chosen, follow=True)

    assert found == [403, 200]
    assert changed.status_code == 403
    assert "only superusers change" in ended.content.decode()
    assert Login.objects.count() == 1


def test_make_service_rejects_name_that_resembles_a_user_name(person):
    with pytest.raises(Exception, match="not a service"):
        call_command("create_service_account", "ADA")
