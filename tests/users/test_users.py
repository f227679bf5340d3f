"""Accounts, over HTTP."""

from django.conf import settings

from apps.users.models import AuditEvent, User
from tests.users.conftest import PROOF

ADA = {
    "username": "ada",
    "email": "ada@example.com",
    "name": "Ada Lovelace",
    "password": "correct horse battery",
}


def test_registration_returns_the_new_account(client_of, db):
    answer = client_of("users").post("/users/", ADA)

    assert answer.status_code == 201
    user = answer.json()
    assert answer["Location"] == answer["X-Location"] == user["uri"]
    assert user["uri"] == f"http://users.platform.test/users/{user['uuid']}/"
    assert user == {
        "uri": user["uri"],
        "uuid": user["uuid"],
        "username": "ada",
        "email": "ada@example.com",
        "emails": ["ada@example.com"],
        "name": "Ada Lovelace",
        "address": None,
        "company": None,
        "tos": False,
        "tos_accepted": None,
        "convert_uploads": True,
        "muted_notifications": [],
        "password": None,
    }
    assert client_of("users", User.objects.get()).get(user["uri"]).json() == user


def test_registration_accepts_form_encoding(client_of, db):
    answer = client_of("users").post(
        "/users/",
        "username=ada&email=ada%40example.com&name=Ada&password=correct+horse+battery",
        content_type="application/x-www-form-urlencoded",
    )

    assert answer.status_code == 201
    assert User.objects.get().name == "Ada"


def test_validation_errors_of_a_request_are_returned_together(client_of, db):
    answer = client_of("users").post(
        "/users/", {"username": "ada", "email": "no address", "is_staff": True, "name": 7}
    )

    assert answer.status_code == 400
    assert {(error["field"], error["code"]) for error in answer.json()["errors"]} == {
        ("email", "type-validation-error"),
        ("is_staff", "request-validation-error"),
        ("name", "type-validation-error"),
        ("password", "missing-parameter"),
    }
    assert User.objects.count() == 0


def test_empty_and_unreadable_bodies_are_rejected(client_of, db):
    empty = client_of("users").post("/users/", {})
    broken = client_of("users").post("/users/", "{", content_type="application/json")
    no_object = client_of("users").post("/users/", "[]", content_type="application/json")

    assert [answer.status_code for answer in (empty, broken, no_object)] == [400, 400, 400]
    assert empty.json()["errors"][0]["code"] == "empty-payload"
    assert broken.json()["errors"][0]["code"] == "invalid-payload"
    assert no_object.json()["errors"][0]["code"] == "invalid-payload"


def test_duplicate_user_name_is_rejected(client_of, person):
    answer = client_of("users").post("/users/", ADA)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "username"
    assert User.objects.count() == 1


def test_common_password_is_rejected(client_of, db):
    answer = client_of("users").post("/users/", {**ADA, "password": "password1"})

    assert answer.status_code == 400
    assert {error["field"] for error in answer.json()["errors"]} == {"password"}
    assert User.objects.count() == 0


def test_registration_is_throttled_per_address(client_of, db, settings):
    settings.REGISTRATION_RATE = 2

    answers = [client_of("users").post("/users/", {**ADA, "username": f"ada{n}"}) for n in range(3)]

    assert [answer.status_code for answer in answers] == [201, 201, 429]
    (error,) = answers[2].json()["errors"]
    assert error["code"] == "rate-limited"
    assert error["details"] == {"limit": "registrations", "most": 2, "used": 2}
    assert int(answers[2]["Retry-After"]) > 0
    assert User.objects.count() == 2


def test_closed_registration_is_open_to_administrators(client_of, operator, settings):
    settings.REGISTRATION = "closed"

    assert client_of("users").post("/users/", ADA).status_code == 403
    assert client_of("users", operator).post("/users/", ADA).status_code == 201


def test_user_is_readable_only_by_themselves_and_administrators(
    client_of, person, stranger, operator
):
    assert client_of("users", person).get(person.uri).status_code == 200
    assert client_of("users", operator).get(person.uri).status_code == 200
    assert client_of("users", stranger).get(person.uri).status_code == 404
    assert client_of("users").get(person.uri).status_code == 401


def test_put_of_get_response_with_a_change_is_accepted(client_of, person):
    client = client_of("users", person)
    user = client.get(person.uri).json()

    answer = client.put(person.uri, {**user, "company": "Analytical Engines"})

    assert answer.status_code == 204
    assert client.get(person.uri).json() == {**user, "company": "Analytical Engines"}


def test_user_name_cannot_be_changed(client_of, person):
    answer = client_of("users", person).put(person.uri, {"username": "eve"})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "cannot-set-property"


def test_deleting_a_user_deactivates_and_anonymises(client_of, person):
    assert client_of("users", person).delete(person.uri, PROOF).status_code == 204

    person.refresh_from_db()
    assert (person.is_active, person.name, person.email) == (False, "Deleted user", "")
    assert person.username != "ada"


def test_paths_are_served_with_and_without_trailing_slash(client_of, person):
    client = client_of("users", person)

    assert client.get(person.uri.rstrip("/")).status_code == 200
    assert client_of("users").post("/users", {**ADA, "username": "eve"}).status_code == 201


def test_unknown_host_returns_404(client_of, db):
    for host in ("nope", "files", "models.platform.test.evil", "xusers"):
        assert client_of(host).get("/users/").status_code == 404
    assert client_of("data").get("/users/").status_code == 401


def test_events_host_ends_the_requests_of_older_front_ends(client_of, db):
    for path in ("/", "/events/", "/socket/?token=1"):
        answer = client_of("events").get(path)

        assert (answer.status_code, answer.content) == (204, b"")
        assert "max-age=3600" in answer["Cache-Control"]
        assert answer["Link"] == '<http://callbacks.platform.test/events/>; rel="alternate"'


def test_session_cookie_is_valid_on_every_host_until_logout(client_of, person):
    users, models = client_of("users"), client_of("models")

    login = users.post("/sessions/", {"username": "ada", "password": "correct horse battery"})

    assert login.status_code == 201
    assert login.json()["username"] == "ada"
    cookie = login.cookies["session"]
    assert (cookie["domain"], cookie["httponly"], cookie["samesite"]) == (
        settings.PARENT_HOST,
        True,
        "Lax",
    )
    models.cookies["session"] = cookie.value
    assert models.get("/model/").status_code == 200
    assert users.get("/sessions/").json()["username"] == "ada"
    assert users.delete("/sessions/").status_code == 204
    assert models.get("/model/").status_code == 401


def test_failed_login_is_identical_for_known_and_unknown_user_names(client_of, person):
    known = client_of("users").post("/sessions/", {"username": "ada", "password": "wrong"})
    unknown = client_of("users").post("/sessions/", {"username": "eve", "password": "wrong"})

    assert known.status_code == unknown.status_code == 403
    assert known.json() == unknown.json()
    assert known.json()["errors"][0]["code"] == "invalid-credentials"


def test_password_guessing_is_throttled_without_locking_out_the_owner(client_of, person):
    guesser, owner = client_of("users", REMOTE_ADDR="9.9.9.9"), client_of("users")
    right = {"username": "ada", "password": "correct horse battery"}

    wrong = [
        guesser.post("/sessions/", {**right, "password": f"guess {n}"}).status_code
        for n in range(6)
    ]

    assert wrong == [403, 403, 403, 403, 403, 429]
    assert guesser.post("/sessions/", right).status_code == 429
    assert owner.post("/sessions/", right).status_code == 201


def test_password_change_ends_existing_sessions(client_of, person):
    users = client_of("users")
    users.post("/sessions/", {"username": "ada", "password": "correct horse battery"})

    client_of("users", person).put(
        person.uri,
        {"password": "another long sentence", "current_password": "correct horse battery"},
    )

    assert users.get("/sessions/").status_code == 401


def test_administrator_filters_and_searches_accounts(client_of, person, stranger, operator):
    root = client_of("users", operator)

    def found(query: str) -> list[str]:
        resources = root.get(f"/users/?{query}").json()["resources"]
        return [resource["username"] for resource in resources]

    assert found("sort=username") == ["ada", "bob", "root"]
    assert found("filter[username]=ada,bob&sort=-username") == ["bob", "ada"]
    assert found("filter[email]=bob@example.com") == ["bob"]
    assert found("filter[name]=Ada") == ["ada"]
    assert found(f"filter[uuid]={person.pk}") == ["ada"]
    assert found("search[email]=ROOT@") == ["root"]
    assert found("filter[created]<2020-01-01") == []


def test_administrator_changes_and_deletes_accounts(client_of, person, operator):
    root = client_of("users", operator)

    assert root.put(person.uri, {"email": "new@example.com", "name": "A."}).status_code == 204
    person.refresh_from_db()
    assert (person.email, person.name) == ("new@example.com", "A.")
    assert root.delete(person.uri).status_code == 204
    assert root.get(person.uri).status_code == 404
    assert User.objects.get(pk=person.pk).is_active is False


def test_platform_service_cannot_read_other_users(client_of, person, stranger):
    stranger.is_platform_service = True
    stranger.save()
    service = client_of("users", stranger)

    assert service.get(person.uri).status_code == 404
    assert service.get("/users/").json()["meta"]["count"] == 1


def test_admin_grants_platform_service_after_confirmation_and_audits_it(
    client_of, person, operator
):
    admin = client_of("admin")
    admin.post(
        "/login/", {"username": "root", "password": "correct horse battery"}, format="multipart"
    )
    form = {"username": "ada", "name": "Ada", "email": "ada@example.com", "is_active": "on"}
    form["turn_weight"] = "1"

    path, power = f"/users/user/{person.pk}/change/", {**form, "is_platform_service": "on"}
    asked = admin.post(path, power, format="multipart")
    page = admin.post(path, {**power, "confirmed": "on"}, format="multipart")

    assert "becomes a platform service" in asked.content.decode()
    assert page.status_code == 302
    person.refresh_from_db()
    assert (person.is_platform_service, person.is_staff) == (True, False)
    noted = AuditEvent.objects.get(action="user.kind")
    assert (noted.actor, noted.on, noted.after) == (
        operator,
        person.uri,
        {"is_platform_service": True},
    )
