"""What every service says in the same way: hosts, numbers, origins, errors, documents."""

import orjson
import pytest
from django.conf import settings
from openapi_spec_validator import OpenAPIV31SpecValidator

from apps.warehouse.models import Model
from project.event_catalogue import SCHEMAS

OWN = "http://models.platform.test"


def test_request_id_is_kept_when_valid_and_generated_otherwise(client_of, db):
    client = client_of("models")

    assert client.get("/model/", headers={"Request-ID": "abc-1"})["Request-ID"] == "abc-1"
    made = client.get("/model/", headers={"Request-ID": "a b\n"})["Request-ID"]
    assert len(made) == 36


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("get", "/model/", 401, "no-credentials-provided"),
        ("get", "/nothing/", 404, "resource-not-found"),
        ("delete", "/model/", 405, "invalid-method"),
        ("options", "/model/", 405, "invalid-method"),
    ],
)
def test_every_error_response_has_code_and_title(client_of, person, method, path, status, code):
    client = client_of("models", None if status == 401 else person)

    answer = getattr(client, method)(path)

    assert answer.status_code == status
    (error,) = answer.json()["errors"]
    assert error["code"] == code
    assert len(error["title"]) > 10


def test_wrong_token_returns_401_with_challenge(client_of, db):
    answer = client_of("models").get("/model/", headers={"Authorization": "Basic bm90OmE="})

    assert answer.status_code == 401
    assert answer.json()["errors"][0]["code"] == "invalid-credentials"
    assert answer["WWW-Authenticate"].startswith("Basic")


@pytest.fixture
def cookied(client_of, person):
    """A client that is signed in by the cookie, as a browser is."""
    users, models = client_of("users"), client_of("models")
    login = users.post("/sessions/", {"username": "ada", "password": "correct horse battery"})
    models.cookies["session"] = login.cookies["session"].value
    return models


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),  # a script
        ({"Origin": OWN}, 201),
        ({"Origin": "http://platform.test"}, 201),
        ({"Origin": "http://users.platform.test"}, 201),
        ({"Origin": "http://files.platform.test"}, 403),
        ({"Origin": "https://models.platform.test"}, 403),
        ({"Origin": "http://models.platform.test:81"}, 403),
        ({"Origin": "http://models.platform.test.evil.com"}, 403),
        ({"Origin": "http://evil.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Sec-Fetch-Site": "none"}, 201),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": OWN, "Sec-Fetch-Site": "same-site"}, 201),
    ],
)
def test_session_cookie_writes_are_accepted_only_from_trusted_origins(cookied, headers, status):
    answer = cookied.post("/model/", {"name": "a"}, headers=headers)

    assert answer.status_code == status
    assert Model.objects.count() == (status == 201)
    assert cookied.get("/model/", headers=headers).status_code == 200


def test_login_from_foreign_origin_is_rejected(client_of, person):
    right = {"username": "ada", "password": "correct horse battery"}

    answer = client_of("users").post("/sessions/", right, headers={"Origin": "http://evil.com"})

    assert answer.status_code == 403
    assert "session" not in answer.cookies


def test_cors_preflight_is_allowed_only_for_trusted_origins(client_of, db):
    asked = {"Access-Control-Request-Method": "POST"}
    client = client_of("models")

    ours = client.options("/model/", headers={"Origin": "http://platform.test", **asked})
    other = client.options("/model/", headers={"Origin": "http://evil.com", **asked})

    assert ours["Access-Control-Allow-Origin"] == "http://platform.test"
    assert ours["Access-Control-Allow-Credentials"] == "true"
    assert "Access-Control-Allow-Origin" not in other
    plain = client.get("/model/", headers={"Origin": "http://platform.test"})
    assert "X-Upload-Location" in plain["Access-Control-Expose-Headers"]


@pytest.mark.parametrize("service", settings.SERVICES)
def test_openapi_document_of_each_host_is_valid(client_of, service):
    answer = client_of(service).get("/openapi.json")

    document = orjson.loads(answer.content)
    OpenAPIV31SpecValidator(document).validate()
    assert document["openapi"].startswith("3.1")
    assert document["servers"] == [{"url": f"http://{service}.platform.test"}]
    for path, operations in document["paths"].items():
        for name, operation in operations.items():
            assert "default" in operation["responses"], (path, name)


def test_openapi_document_lists_filters_location_and_idempotency_key(client_of):
    document = orjson.loads(client_of("models").get("/openapi.json").content)
    listing, creating = document["paths"]["/model/"]["get"], document["paths"]["/model/"]["post"]

    asked = {parameter["name"] for parameter in listing["parameters"]}
    assert {"filter[status]", "search[name]", "sort", "page[after]", "name"} <= asked
    assert "Idempotency-Key" in {parameter["name"] for parameter in creating["parameters"]}
    assert "Location" in creating["responses"]["201"]["headers"]


def document_of(client_of, host: str) -> dict:
    return orjson.loads(client_of(host).get("/openapi.json").content)


def operations(document: dict) -> dict[str, dict]:
    """By method and path."""
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_data_host_document_is_the_union_of_all_service_documents(client_of):
    own = [operations(document_of(client_of, service)) for service in settings.SERVICES]

    everything = document_of(client_of, "data")

    assert everything["servers"] == [{"url": "http://data.platform.test"}]
    assert operations(everything).keys() == {name for found in own for name in found}
    assert everything["webhooks"].keys() == SCHEMAS.keys()


def test_openapi_security_lists_session_and_token_schemes(client_of):
    either = [{"session": []}, {"apiToken": []}]

    document = document_of(client_of, "data")

    known = {name: operation.get("security") for name, operation in operations(document).items()}
    assert known["GET /model/"] == known["GET /sessions/"] == either
    assert known["POST /users/"] == [*either, {}]
    assert known["POST /sessions/"] == known["GET /about/"] == [{}]
    assert known["POST /agent/exchange/"] == [{"deviceToken": []}]
    schemes = document["components"]["securitySchemes"]
    assert schemes.keys() == {"session", "apiToken", "deviceToken"}


def test_nullable_text_has_no_min_length_in_openapi_document(client_of):
    document = document_of(client_of, "users")
    taken = document["paths"]["/groups/"]["post"]["requestBody"]["content"]["application/json"]
    name = taken["schema"]["$ref"].rpartition("/")[2]

    assert "minLength" not in document["components"]["schemas"][name]["properties"]["description"]


def test_request_body_is_json_and_required_when_a_field_is_required(client_of):
    bodies = {
        name: operation["requestBody"]
        for name, operation in operations(document_of(client_of, "data")).items()
        if "requestBody" in operation
    }

    assert {media for body in bodies.values() for media in body["content"]} == {"application/json"}
    assert bodies["POST /model/"]["required"] is True
    assert bodies["POST /permissions/check/"]["required"] is True
    assert "required" not in bodies["PUT /model/{uuid}/"]
    assert "required" not in bodies["POST /groups/"]


def test_openapi_types_of_numbers_objects_and_null_match_responses(client_of):
    document = document_of(client_of, "data")

    def answered(component: str, name: str) -> dict:
        return document["components"]["schemas"][component]["properties"][name]

    assert answered("Price", "amount")["type"] == "number"
    assert answered("Material", "cost")["type"] == ["number", "null"]
    assert answered("Piece", "number")["type"] == "integer"
    parameters = answered("Config", "parameters")
    assert (parameters["type"], len(parameters["properties"])) == ("object", 12)
    assert parameters["properties"]["perimeters"]["type"] == ["integer", "null"]
    assert answered("LineItem", "estimates")["anyOf"][1] == {"type": "null"}
    resets = operations(document)["POST /password-resets/"]["responses"]
    assert {status for status in resets if status < "4"} == {"202"}
    text = orjson.dumps(document["components"]["schemas"]).decode()
    assert '"oneOf"' not in text
    assert "x-spec-enum-id" not in text


def test_openapi_descriptions_contain_no_code_docstrings(client_of):
    document = document_of(client_of, "data")

    told = [operation.get("description") for operation in operations(document).values()]
    parts = document["components"]["schemas"].values()

    assert [part["description"] for part in parts if "description" in part] == []
    assert "Update many pieces, all or none." in told
    assert not any("subclass" in words for words in told if words)


def test_admin_site_has_its_own_host_and_cookie(client_of, operator):
    admin = client_of("admin")

    page = admin.post(
        "/login/", {"username": "root", "password": "correct horse battery"}, format="multipart"
    )

    assert page.status_code == 302
    assert "session" not in page.cookies
    assert page.cookies["operator"]["domain"] == ""
    for path in ("/", "/users/user/", "/warehouse/model/", "/slicing/slice/"):
        assert admin.get(path).status_code == 200
    assert client_of("models").get("/login/").status_code == 404


def test_bare_domain_lists_service_urls(client_of):
    services = client_of("www").get("/", SERVER_NAME="platform.test").json()["services"]

    assert services["models"]["url"] == "http://models.platform.test/"


def test_unavailable_database_returns_503_with_retry_after(client_of, person, monkeypatch):
    from django.db import OperationalError

    def fail(*arguments):
        raise OperationalError("gone")

    monkeypatch.setattr("apps.warehouse.views.models.read_model", fail)
    answer = client_of("models", person).get(f"/model/{person.uuid}/")

    assert answer.status_code == 503
    assert answer.json()["errors"][0]["code"] == "database-unavailable"
    assert answer["Retry-After"] == "5"


def test_lock_timeout_returns_503_that_names_the_other_request(client_of, person, monkeypatch):
    from django.db import OperationalError
    from psycopg.errors import LockNotAvailable

    def fail(*arguments):
        raise OperationalError("canceled due to lock timeout") from LockNotAvailable()

    monkeypatch.setattr("apps.warehouse.views.models.read_model", fail)
    answer = client_of("models", person).get(f"/model/{person.uuid}/")

    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.json()["errors"][0]["title"].startswith("Another request is changing the same")
