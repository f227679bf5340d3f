"""GET with its query string as the body, as some clients send it: on every host."""

import pytest

from apps.users import interface as users

# A list of every host, with a question that it knows.
QUESTIONS = {
    "users": ("/permissions/", "filter[right]=read&page[limit]=2"),
    "models": ("/model/", "filter[status]=processing&sort=name"),
    "slicing": ("/slice/", "filter[status]=queued"),
    "integrations": ("/operation/", "filter[created]>=2020-01-01"),
    "payment": ("/price/", "filter[action]=slice"),
    "erp": ("/order/", "search[name]=a"),
    "callbacks": ("/subscription/", "page[limit]=2"),
    "search": ("/indexed-model/", "filter[name]=a,b"),
    "data": ("/model/", "filter[status]=processing&sort=name"),
}
HOSTS = pytest.mark.parametrize("host", QUESTIONS)


def ask(client, path: str, body: str | bytes, content_type="application/x-www-form-urlencoded"):
    return client.generic("GET", path, body, content_type)


@HOSTS
def test_query_in_body_equals_query_in_url(client_of, person, host):
    client = client_of(host, person)
    path, question = QUESTIONS[host]

    by_body = ask(client, path, question, "application/json")

    assert by_body.status_code == 200, by_body.json()
    assert by_body.json() == client.get(f"{path}?{question}").json()


@HOSTS
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('{"filter[status]": "error"}', "invalid-payload"),
        ("[]", "invalid-payload"),
        (b"filter[status]=\xff", "invalid-payload"),
        ("&".join(f"a{number}=1" for number in range(1001)), "invalid-payload"),
        ("filter[nothing]=1", "request-validation-error"),
        ("a word", "request-validation-error"),
    ],
    ids=["json", "list", "not-utf-8", "many", "unknown", "no-query"],
)
def test_invalid_query_in_body_is_rejected(client_of, person, host, body, code):
    answer = ask(client_of(host, person), QUESTIONS[host][0], body)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == code


@pytest.mark.parametrize("body", ["", " \n", "{}"])
def test_empty_body_of_get_is_ignored(client_of, person, body):
    assert ask(client_of("models", person), "/model/", body, "application/json").status_code == 200


def test_contradicting_url_and_body_queries_are_rejected(client_of, person):
    client = client_of("models", person)

    same = ask(client, "/model/?filter[status]=error", "filter[status]=error&sort=name")
    other = ask(client, "/model/?filter[status]=error", "filter[status]=processed")

    assert same.status_code == 200
    assert "sort=name" in same.json()["links"]["self"]
    assert other.status_code == 400
    assert other.json()["errors"][0]["field"] == "filter[status]"


def test_permission_filter_in_body_returns_only_that_holder(client_of, operator, person):
    users.grant(
        actor=operator, holder=person.uri, namespace="models", object="https://a.b/", right="read"
    )
    client = client_of("users", operator)

    found = {
        holder: ask(client, "/permissions/", f"filter[holder]={holder}").json()["meta"]["count"]
        for holder in (person.uri, operator.uri)
    }

    assert found == {person.uri: 1, operator.uri: 0}
