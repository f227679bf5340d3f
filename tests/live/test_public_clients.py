"""Clients as they are written for APIs of this family, with `requests` alone, do their work.

They send forms or JSON, no CSRF token, and follow no redirect.
"""

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
import requests

from tests.live.client import ball
from tests.live.processes import Platform, browser, wait_for

pytestmark = pytest.mark.live

PASSWORD = "correct horse battery staple"
STL = ball(16, bumps=6)
OCTETS = {"Content-Type": "application/octet-stream"}


class PublicClient:
    """A session that insists on the manners which old clients rely on."""

    def __init__(self, platform: Platform, someone: Callable[[], requests.Session] = browser):
        self.url = platform.url
        self.someone = someone  # a session of anybody else
        self.session = someone()

    def send(self, method: str, url: str, **options) -> requests.Response:
        if not url.startswith("http"):
            url = self.url(url)
        response = self.session.request(method, url, timeout=60, allow_redirects=False, **options)
        assert not 300 <= response.status_code < 400
        return response

    def get(self, url: str, **options) -> requests.Response:
        return self.send("GET", url, **options)

    def post(self, url: str, **options) -> requests.Response:
        return self.send("POST", url, **options)

    def put(self, url: str, **options) -> requests.Response:
        return self.send("PUT", url, **options)


@pytest.fixture
def public(platform: Platform) -> PublicClient:
    """A client that nobody knows yet."""
    return PublicClient(platform)


def person() -> dict[str, str]:
    name = f"person-{uuid4()}"
    return {
        "username": name,
        "password": PASSWORD,
        "name": "Joe Rod",
        "email": f"{name}@example.com",
    }


def cookie_of(public: PublicClient) -> dict[str, str]:
    """The session cookie of a new account, to be sent along by hand."""
    account = person()
    public.post("users/users/", json=account)
    login = {"username": account["username"], "password": PASSWORD}
    return {"session": public.post("users/sessions/", json=login).cookies["session"]}


@pytest.fixture
def cookies(platform: Platform) -> dict[str, str]:
    return cookie_of(PublicClient(platform))


@pytest.fixture
def uploaded(public: PublicClient, cookies: dict[str, str]) -> str:
    """The URI of a model that has been judged."""
    created = public.post("models/model/", json={"name": "squirtle.stl"}, cookies=cookies)
    public.put(created.headers["x-upload-location"], data=STL, headers=OCTETS)
    return poll(public, created.headers["Location"], cookies)["uri"]


def poll(public: PublicClient, uri: str, cookies: dict[str, str]) -> dict:
    """Ask again until the state is final."""

    def final() -> dict | None:
        data = public.get(uri, cookies=cookies).json()
        return data if data["status"] in ("processed", "error") else None

    data = wait_for(final)
    assert data["status"] == "processed"
    return data


# ---------------------------------------------------------------- accounts


@pytest.mark.parametrize("encoding", ["data", "json"])
@pytest.mark.parametrize("slash", ["/", ""])
def test_account_is_created_and_logs_in_with_form_or_json(
    public: PublicClient, encoding: str, slash: str
):
    account = person()
    accept = {"Accept": "application/json"}

    made = public.post(f"users/users{slash}", headers=accept, **{encoding: account})
    login = {"username": account["username"], "password": PASSWORD}
    session = public.post(f"users/sessions{slash}", headers=accept, **{encoding: login})

    assert (made.status_code, session.status_code) == (201, 201)
    assert made.json()["uri"] == made.headers["Location"] == made.headers["X-Location"]
    assert made.json()["uuid"] == made.json()["uri"].split("/")[4]
    assert made.json()["username"] == account["username"]
    assert session.json()["uri"] == made.json()["uri"]
    assert session.cookies["session"]


def test_wrong_password_is_reported_in_the_error_body(public: PublicClient):
    account = person()
    public.post("users/users/", json=account)

    login = {"username": account["username"], "password": "wrong"}
    wrong = public.post("users/sessions/", data=login)

    assert wrong.status_code == 403
    assert wrong.json()["errors"][0]["code"] == "invalid-credentials"
    assert wrong.json()["errors"][0]["title"]
    assert not wrong.cookies


def test_api_token_created_with_a_cookie_authenticates_on_every_host(
    public: PublicClient, cookies: dict[str, str]
):
    name = {"name": f"Octoprint Token - {uuid4()}"}

    made = public.post("users/api_tokens/", json=name, cookies=cookies)
    public.session.cookies.clear()
    credentials = (made.json()["uuid"], made.json()["secret"])
    asked = {
        host: public.get(host, auth=credentials) for host in ("models/model", "slicing/slice/")
    }
    anonymous = public.get("models/model/")

    assert made.status_code == 201
    assert [response.status_code for response in asked.values()] == [200, 200]
    assert anonymous.status_code == 401
    assert anonymous.json()["errors"][0]["code"] == "no-credentials-provided"


def test_session_cookie_is_valid_on_all_hosts(public: PublicClient):
    account = person()
    public.post("users/users/", json=account)
    public.post(
        "users/sessions/", json={"username": account["username"], "password": account["password"]}
    )

    made = public.post("models/model", json={"auto-align": False, "name": "demo model"})

    assert made.status_code == 201
    assert public.get(made.headers["Location"]).json()["name"] == "demo model"


# ---------------------------------------------------------------- models


@pytest.mark.parametrize("slash", ["/", ""])
def test_model_is_created_uploaded_polled_and_downloaded(
    public: PublicClient, cookies: dict[str, str], slash: str
):
    wish = {"name": "part.stl", "allowed_transformations": {"resize": False, "rotation": False}}

    made = public.post(f"models/model{slash}", json=wish, cookies=cookies)
    put = public.put(made.headers["X-Upload-Location"], data=STL, headers=OCTETS)
    model = poll(public, made.headers["Location"].rstrip("/") + slash, cookies)
    stranger = public.someone()
    file = stranger.get(model["content"] + "&filename=x.stl", timeout=60)

    assert (made.status_code, put.status_code) == (201, 204)
    assert made.json()["uri"] == made.headers["Location"] == made.headers["X-Location"]
    assert made.json()["status"] == "processing"
    assert (made.json()["content"], made.json()["analyses.manifold"]) == (None, None)
    assert (model["name"], model["analyses.manifold"]) == ("part.stl", True)
    assert (model["parents"], model["children"]) == ([], [])
    assert "?" in model["content"]
    assert (file.status_code, file.content) == (200, STL)
    assert 'filename="x.stl"' in file.headers["Content-Disposition"]


def test_model_is_created_from_a_form(public: PublicClient, cookies: dict[str, str]):
    made = public.post("models/model/", data={"name": "part", "type": "stl"}, cookies=cookies)

    assert (made.status_code, made.json()["name"]) == (201, "part")


def test_credentials_on_an_upload_are_ignored(public: PublicClient, cookies: dict[str, str]):
    made = public.post("models/model/", json={"name": "part"}, cookies=cookies)
    location = made.headers["X-Upload-Location"]

    put = public.put(location, data=STL, headers=OCTETS, cookies=cookies, auth=("any", "thing"))

    assert put.status_code == 204


def test_uuid_is_the_fourth_segment_of_the_uri(
    public: PublicClient, cookies: dict[str, str], uploaded: str
):
    key = uploaded.split("/")[4]

    assert str(UUID(key)) == key
    for address in (f"models/model/{key}/", f"models/model/{key}", f"data/model/{key}/"):
        assert public.get(address, cookies=cookies).json()["uri"] == uploaded


def test_list_has_the_standard_envelope_and_accepts_a_query_in_the_body(
    public: PublicClient, cookies: dict[str, str], uploaded: str
):
    query = {"name": "squirt*", "status": "processed", "sort": "-created,name"}

    listed = public.get("models/model/", params=query, data=query, cookies=cookies)
    nothing = public.get("models/model/", params={"name": "charm*"}, cookies=cookies)

    assert sorted(listed.json()) == ["links", "meta", "resources"]
    assert [model["uri"] for model in listed.json()["resources"]] == [uploaded]
    assert listed.json()["meta"]["count"] == 1
    assert listed.json()["links"]["next"] is None
    assert nothing.json()["resources"] == []


def test_model_representation_can_be_put_with_a_new_name(
    public: PublicClient, cookies: dict[str, str], uploaded: str
):
    model = public.get(uploaded, cookies=cookies).json()

    put = public.put(uploaded, json={**model, "name": "wartortle.stl"}, cookies=cookies)

    assert (put.status_code, put.content) == (204, b"")
    assert public.get(uploaded, cookies=cookies).json()["name"] == "wartortle.stl"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "models/model/", {}, 400, "empty-payload"),
        ("POST", "models/model/", {"type": "stl"}, 400, "missing-parameter"),
        ("POST", "models/model/", {"name": "a", "nmae": "b"}, 400, "request-validation-error"),
        ("GET", f"models/model/{UUID(int=0)}/", None, 404, "resource-not-found"),
        ("PUT", "models/model/", {}, 405, "invalid-method"),
    ],
)
def test_error_response_has_code_and_sentence(
    public: PublicClient, cookies: dict[str, str], method, path, body, status, code
):
    refused = public.send(method, path, json=body, cookies=cookies)

    assert refused.status_code == status
    (error,) = refused.json()["errors"]
    assert (error["code"], error["title"][-1]) == (code, ".")


def test_snapshot_is_rendered_and_downloaded(
    public: PublicClient, cookies: dict[str, str], uploaded: str
):
    view = {"samples": 2, "width": 64, "height": 48, "color": "#AFAA75"}

    made = public.post(f"{uploaded}snapshot/", json=view, cookies=cookies)
    snapshot = poll(public, made.headers["Location"], cookies)
    picture = public.someone().get(snapshot["content"], timeout=60)

    assert made.status_code == 201
    assert (snapshot["samples"], snapshot["color"]) == (2, "#AFAA75")
    assert picture.headers["Content-Type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")


# ---------------------------------------------------------------- slices


@pytest.mark.engine
@pytest.mark.parametrize("host", ["slicing", "quickslice"])
def test_slice_is_created_and_its_gcode_downloaded(
    public: PublicClient, cookies: dict[str, str], uploaded: str, host: str
):
    curated = {"engine": "slic3r", "description": "PLA", "parameters": {"infill_density": 10}}

    config = public.post(f"{host}/config/curated/", json=curated, cookies=cookies)
    order = {"model": uploaded, "config": config.headers["Location"]}
    made = public.post(f"{host}/slice/", json=order, cookies=cookies)
    slice = poll(public, made.headers["Location"], cookies)
    gcode = public.someone().get(slice["content"], timeout=60)

    assert (config.status_code, made.status_code) == (201, 201)
    assert made.json()["uri"] == made.headers["Location"]
    assert made.json()["status"] == "queued"
    assert slice["estimates"]["build_time_seconds"] > 60
    assert slice["slice_time"] >= 0
    assert b"\nG1 " in gcode.content
