"""Saved views of lists."""

import pytest

from apps.users.models import SavedView
from apps.users.services import saved_views

VIEW = {"name": "Late", "page": "/order/", "query": "filter%5Bstatus%5D=new&sort=-due_date"}


@pytest.fixture
def users(client_of, person):
    return client_of("users", person)


def test_saved_view_is_created_listed_changed_and_deleted(users):
    made = users.post("/saved-views/", VIEW)
    assert made.status_code == 201, made.json()
    uri = made["Location"]

    (row,) = users.get("/saved-views/", {"filter[page]": "/order/"}).json()["resources"]
    assert {name: row[name] for name in VIEW} == VIEW
    assert users.get("/saved-views/", {"filter[page]": "/model/"}).json()["resources"] == []
    assert users.put(uri, {"name": "Overdue"}).status_code == 204
    assert users.put(uri, users.get(uri).json()).status_code == 204
    assert users.get(uri).json()["name"] == "Overdue"
    assert users.delete(uri).status_code == 204
    assert users.get(uri).status_code == 404


def test_saved_views_of_others_are_not_there(users, client_of, stranger):
    uri = users.post("/saved-views/", VIEW)["Location"]
    others = client_of("users", stranger)

    assert others.get("/saved-views/").json()["resources"] == []
    assert [others.get(uri).status_code, others.delete(uri).status_code] == [404, 404]
    assert others.post("/saved-views/", VIEW).status_code == 201


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("query", None, "The query is null"),
        ("query", "", "The query is empty"),
        ("query", "?a=b", "without ?"),
        ("query", 7, ""),
        ("query", "a" * 2001, ""),
        ("page", "order", "A path"),
        ("page", "//elsewhere.example/", "A path"),
        ("name", None, ""),
    ],
)
def test_invalid_view_is_refused_with_its_field(users, field, value, words):
    answer = users.post("/saved-views/", {**VIEW, field: value})

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    assert words in error["title"]


def test_second_view_of_the_same_name_is_a_conflict(users):
    users.post("/saved-views/", VIEW)
    other = users.post("/saved-views/", VIEW | {"name": "Other"})["Location"]

    again = [users.post("/saved-views/", VIEW), users.put(other, {"name": "Late"})]

    assert [answer.status_code for answer in again] == [409, 409]
    assert again[0].json()["errors"][0]["code"] == "name-taken"
    assert users.post("/saved-views/", VIEW | {"page": "/model/"}).status_code == 201


def test_number_of_views_is_limited(users, person, monkeypatch):
    monkeypatch.setattr(saved_views, "MAX_VIEWS", 1)
    users.post("/saved-views/", VIEW)

    answer = users.post("/saved-views/", VIEW | {"name": "Other"})

    assert answer.json()["errors"][0]["code"] == "limit-exceeded"
    assert SavedView.objects.filter(user=person).count() == 1
