"""The pages of the bare domain, without a browser: what they ask, say and refuse."""

import re
from uuid import uuid4

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from django.urls import get_urlconf, set_urlconf

from core.asking import Api

HTML = "text/html,application/xhtml+xml"
PASSWORD = "correct horse battery"


class Browser(Client):
    """What a browser says of itself, and of its forms."""

    def __init__(self):
        super().__init__(SERVER_NAME="platform.test", headers={"accept": HTML})

    def send(self, path: str, origin: str | None = "http://platform.test", **fields: str):
        """A form of ours, or of a page of `origin`."""
        return self.post(path, fields, headers={"origin": origin} if origin else {})


@pytest.fixture
def browser(db) -> Browser:
    return Browser()


@pytest.fixture
def ada(browser, person) -> Browser:
    """A browser in which `person` is signed in."""
    assert browser.send("/sign-in/", username="ada", password=PASSWORD).status_code == 303
    return browser


def drop(browser: Browser, name: str = "part", **fields: str):
    return browser.send("/model/", **{"name": name, "type": "stl", "key": str(uuid4()), **fields})


def words(answer) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", answer.content.decode()))


# ---------------------------------------------------------------- the house


def test_the_bare_domain_is_a_page_for_people_and_json_for_programs(browser):
    page = browser.get("/")
    listed = Client(SERVER_NAME="platform.test").get("/")

    assert "From a file to a printed part" in words(page)
    assert "Accept" in page["Vary"]
    assert listed.json()["services"]["models"]["url"] == "http://models.platform.test/"


def test_what_is_not_there_is_a_page_for_people_and_json_for_programs(browser):
    page = browser.get("/nothing/")
    told = Client(SERVER_NAME="platform.test").get("/nothing/")

    assert page.status_code == told.status_code == 404
    assert "Not found" in words(page)
    assert told.json()["errors"][0]["code"] == "resource-not-found"


def test_every_page_forbids_whatever_is_not_ours(browser):
    for path in ("/", "/sign-in/", "/register/", "/nothing/"):
        page = browser.get(path)

        policy = page["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert page["Referrer-Policy"] == "strict-origin"
        assert not re.search(r"<script(?! src)|<style|style=|\son\w+=", page.content.decode())


def test_an_unchanged_page_is_not_sent_again(browser):
    first = browser.get("/sign-in/")

    second = browser.get("/sign-in/", headers={"if-none-match": first["ETag"]})

    assert (second.status_code, second.content) == (304, b"")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://models.platform.test"])
def test_a_form_of_another_page_is_refused(browser, person, origin):
    refused = browser.send("/sign-in/", origin, username="ada", password=PASSWORD)

    assert refused.status_code == 403
    assert "session" not in refused.cookies


def test_a_form_that_does_not_say_where_it_is_from_is_refused(browser, person):
    assert browser.send("/sign-in/", None, username="ada", password=PASSWORD).status_code == 403


def test_the_pages_speak_the_language_that_the_visitor_reads(browser):
    german = browser.get("/", headers={"accept-language": "de-CH,de;q=0.9"})
    assert '<html lang="de">' in german.content.decode()

    browser.send("/language/", language="en", next="/sign-in/")
    assert (
        '<html lang="en">' in browser.get("/", headers={"accept-language": "de"}).content.decode()
    )


def test_the_api_speaks_english_whatever_the_page_does(browser):
    refused = browser.post(
        "/register/",
        {"username": "ada", "name": "Ada", "email": "ada@example.com", "password": "short"},
        headers={"origin": "http://platform.test", "accept-language": "de"},
    )

    assert refused.status_code == 400
    assert "This password is too short" in words(refused)


def test_asking_leaves_the_request_as_it_was(rf, db):
    request = rf.get("/", SERVER_NAME="platform.test")
    request.id = "outer"
    set_urlconf("project.urls")

    answer = Api(request).ask("GET", "http://models.platform.test/openapi.json")

    assert answer["Request-ID"] == "outer.1"
    assert get_urlconf() == "project.urls"
    set_urlconf(None)


# ---------------------------------------------------------------- people


def test_somebody_registers_and_is_signed_in(browser):
    made = browser.send(
        "/register/", username="ada", name="Ada", email="ada@example.com", password=PASSWORD
    )

    assert (made.status_code, made["Location"]) == (303, "/model/?done=registered")
    assert made.cookies["session"]["httponly"]
    page = words(browser.get(made["Location"]))
    assert "Your account is made." in page
    assert "There are no models yet" in page


def test_a_wrong_password_is_told_and_never_shown(browser, person):
    refused = browser.send("/sign-in/", username="ada", password="no such password")

    assert refused.status_code == 403
    assert "no such password" not in refused.content.decode()
    assert 'role="alert"' in refused.content.decode()
    assert 'value="ada"' in refused.content.decode()


def test_a_second_factor_is_asked_for(ada, client_of, person):
    import pyotp

    users = Client(SERVER_NAME="users.platform.test")
    users.cookies = ada.cookies
    made = users.post("/one-time-passwords/", {"password": PASSWORD}, "application/json").json()
    codes = pyotp.TOTP(made["secret"])
    path = made["uri"].removeprefix("http://users.platform.test")
    confirmed = users.put(path, {"one_time_password": codes.now()}, "application/json")
    assert confirmed.status_code == 204
    late = Browser()

    refused = late.send("/sign-in/", username="ada", password=PASSWORD)

    assert refused.status_code == 403
    assert "This account also needs its one-time code." in words(refused)


def test_signing_out_ends_the_session(ada):
    cookie = ada.cookies["session"].value
    assert ada.send("/sign-out/")["Location"] == "/?done=signed-out"

    ada.cookies["session"] = cookie
    answer = ada.get("/model/")

    assert (answer.status_code, answer["Location"]) == (303, "/sign-in/?next=%2Fmodel%2F")


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "\\\\evil.example"])
def test_nobody_is_led_elsewhere_after_signing_in(browser, person, back):
    answer = browser.send(f"/sign-in/?next={back}", username="ada", password=PASSWORD)

    assert answer["Location"] == "/"


def test_a_full_database_or_none_is_a_page(ada, monkeypatch):
    from django.db import OperationalError

    def away(*arguments):
        raise OperationalError("gone")

    monkeypatch.setattr("apps.warehouse.views.models.readable_models", away)
    page = ada.get("/model/")

    assert page.status_code == 503
    assert page["Retry-After"] == "5"
    assert "The database is away for a moment." in words(page)


# ---------------------------------------------------------------- models


def test_a_stranger_is_asked_to_sign_in(browser):
    path = f"/model/{uuid4()}/"

    assert browser.get(path)["Location"] == f"/sign-in/?next={path.replace('/', '%2F')}"


def test_a_form_sent_twice_makes_one_model(ada):
    key = str(uuid4())

    first, second = drop(ada, key=key), drop(ada, key=key)

    assert first["Location"] == second["Location"]
    assert "1 model " in words(ada.get("/model/"))


def test_a_form_that_is_changed_and_sent_again_makes_another_model(ada):
    key = str(uuid4())

    first, second = drop(ada, "lid", key=key), drop(ada, "box", key=key)

    assert first.status_code == second.status_code == 303
    assert first["Location"] != second["Location"]


def test_a_form_without_a_name_is_shown_again(ada):
    refused = drop(ada, "")

    assert refused.status_code == 400
    assert 'aria-invalid="true"' in refused.content.decode()


def test_a_dropped_file_gets_its_verdict(ada, client_of, person, upload, cube, work):
    path = drop(ada, "a <b>cube</b>")["Location"]
    page = ada.get(path).content.decode()
    location = re.search(r'action="(http://files[^"]+)" data-upload', page)[1]
    assert f"then=http%3A%2F%2Fplatform.test{path.replace('/', '%2F')}" in location

    upload({"uri": path}, cube)
    assert "The file is being looked at." in words(ada.get(path))
    work()
    page = ada.get(path)

    assert "The surface is closed: this can be printed." in words(page)
    assert "20.0 × 20.0 × 20.0 mm" in words(page)
    assert "a &lt;b&gt;cube&lt;/b&gt;" in page.content.decode()
    assert "data-upload" not in page.content.decode()
    assert '<img src="http://files.platform.test/content/' in page.content.decode()


def test_what_is_wrong_is_told_in_words(ada, upload, open_box, work):
    path, broken = drop(ada)["Location"], drop(ada, "broken")["Location"]
    upload({"uri": path}, open_box)
    upload({"uri": broken}, b"solid nothing\nendsolid nothing\n")
    work()

    assert "The surface is not closed. 1 hole " in words(ada.get(path))
    page = words(ada.get(broken))
    assert "This file cannot be used." in page
    assert "Export the part again" in page
    assert "Slice it" not in page


def test_a_model_is_renamed_and_deleted(ada):
    path = drop(ada)["Location"]
    assert ada.send(f"{path}rename/", name="lid")["Location"] == f"{path}?done=renamed"
    assert "<h1><bdi>lid</bdi></h1>" in ada.get(path).content.decode()
    assert ada.send(f"{path}rename/", name="").status_code == 400

    assert "Delete lid ?" in words(ada.get(f"{path}delete/"))
    assert ada.send(f"{path}delete/")["Location"] == "/model/?done=deleted"

    assert ada.get(path).status_code == 404


def test_strangers_see_nothing_of_a_model(ada, stranger):
    path = drop(ada)["Location"]
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    for answer in (
        bob.get(path),
        bob.get(f"{path}delete/"),
        bob.get(f"{path}slice/"),
        bob.send(f"{path}rename/", name="mine"),
        bob.send(f"{path}delete/"),
        bob.send(f"{path}scale/"),
    ):
        assert answer.status_code == 404
    assert "no models yet" in words(bob.get("/model/"))


def test_an_operator_who_reads_a_model_gets_no_place_to_upload_to(ada, operator):
    path = drop(ada)["Location"]
    other = Browser()
    other.send("/sign-in/", username="root", password=PASSWORD)

    page = other.get(path)

    assert page.status_code == 200
    assert "/upload/" not in page.content.decode()


def test_a_part_in_inches_is_made_again_in_millimetres(ada, upload, cube, work):
    import numpy as np

    from tests.conftest import CORNERS, SIDES, binary_stl

    path = drop(ada)["Location"]
    upload({"uri": path}, binary_stl(CORNERS[SIDES].astype(np.float32)))
    work()
    assert "it was probably made in inches" in words(ada.get(path))

    made = ada.send(f"{path}scale/", key=str(uuid4()))["Location"]
    work()

    assert "25.4 × 25.4 × 25.4 mm" in words(ada.get(made))


def test_a_list_asks_as_much_however_long_it_is(ada, monkeypatch):
    asked = []
    real = WSGIHandler.get_response

    def counted(self, request):
        asked.append(request.path)
        return real(self, request)

    monkeypatch.setattr(WSGIHandler, "get_response", counted)
    counts = []
    for more in (2, 20):
        for _ in range(more):
            drop(ada)
        asked.clear()
        assert ada.get("/model/").status_code == 200
        counts.append(len(asked))

    assert counts == [2, 2]


def test_a_long_list_has_pages(ada):
    for number in range(25):
        drop(ada, f"part {number}")

    first = ada.get("/model/")
    older = re.search(r'href="(\?[^"]+)">Older', first.content.decode())[1].replace("&amp;", "&")
    second = words(ada.get(f"/model/{older}"))

    assert "25 models" in words(first)
    assert "part 0 " in second
    assert "part 1 " not in second
    assert "part 7 " in words(ada.get("/model/?search%5Bname%5D=part+7"))


# ---------------------------------------------------------------- slices


def test_a_slice_is_chosen_and_waited_for(ada, upload, cube, work):
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    work()
    form = ada.get(f"{path}slice/").content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]
    chosen = {"engine": "slic3r", "material": "PLA", "print_quality": "low", "key": key}

    made = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="2", raft="on")
    again = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="2", raft="on")

    assert made.status_code == 303
    assert made["Location"] == again["Location"]
    page = ada.get(made["Location"])
    assert "It waits for its turn." in words(page)
    assert 'http-equiv="refresh"' in page.content.decode()
    assert "It waits for its turn." in words(ada.get(path))
    assert "quick: layers of 0.3 mm" in words(page)
    assert re.search("A raft below the part *yes", words(page))


def test_a_slice_is_made_again_with_the_values_of_another(ada, upload, cube, work):
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    work()
    chosen = {"engine": "slic3r", "material": "ABS", "print_quality": "low", "key": "k"}
    made = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="3", raft="on")
    again = re.search(r'href="([^"]+like=[^"]+)"', ada.get(made["Location"]).content.decode())[1]

    form = ada.get(again).content.decode()

    assert re.search('value="ABS" selected', form)
    assert re.search('name="infill_density" value="15', form)
    assert re.search('name="perimeters" value="3"', form)
    assert re.search('name="raft"[^>]* checked', form)
    assert not re.search('name="support"[^>]* checked', form)


def test_a_slice_outlives_its_model_and_its_config(ada, upload, cube, work):
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    work()
    chosen = {"engine": "slic3r", "material": "PLA", "print_quality": "low", "key": "k"}
    made = ada.send(f"{path}slice/", **chosen, infill_density="15", perimeters="3")["Location"]
    slicing = Client(SERVER_NAME="slicing.platform.test")
    slicing.cookies = ada.cookies
    config = slicing.get(made).json()["config"].removeprefix("http://slicing.platform.test")
    work()
    assert slicing.delete(config).status_code == 204

    ada.send(f"{path}delete/")

    page = ada.get(made)
    assert page.status_code == 200
    assert "How it was sliced" not in words(page)


def test_a_value_that_the_api_refuses_is_told_at_its_field(ada, upload, cube, work):
    path = drop(ada, "cube")["Location"]
    upload({"uri": path}, cube)
    work()
    chosen = {"engine": "slic3r", "material": "PLA", "print_quality": "low", "key": "k"}

    refused = ada.send(f"{path}slice/", **chosen, infill_density="many", perimeters="2")

    page = refused.content.decode()
    assert 'aria-invalid="true"' in page
    assert "id_infill_density_error" in page
