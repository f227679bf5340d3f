"""`/docs/` of every host: pages that are drawn from its OpenAPI document."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.test import Client

from core.api.docs import code_samples
from core.api.docs.document import VERBS, pages
from core.api.docs.template_filters import inline_code

HOSTS = (*settings.SERVICES, "data")
MAX_LENGTH = 60  # characters of a summary


class Reader(HTMLParser):
    """The ids and the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            elif name == "href" and tag == "a":
                self.links.append(value)


def host(name: str) -> Client:
    return Client(SERVER_NAME=f"{name}.platform.test")


def document(name: str) -> dict:
    return host(name).get("/openapi.json").json()


@pytest.mark.parametrize("name", HOSTS)
def test_every_operation_has_a_short_unique_summary(name):
    told = document(name)
    said = [one["summary"] for verbs in told["paths"].values() for one in verbs.values()]

    assert [words for words in said if not 0 < len(words) <= MAX_LENGTH] == []
    if name != "data":  # services have kinds of the same name
        assert [words for words, count in Counter(said).items() if count > 1] == []


@pytest.mark.django_db
@pytest.mark.parametrize("name", settings.SERVICES)
def test_api_reference_pages_of_a_host_are_complete(name):
    told, client = document(name), host(name)
    answer = client.get("/docs/")
    first = read(answer)
    assert answer.status_code == 200
    assert told["info"]["description"] in answer.content.decode()
    found = []
    for page in pages(told):
        assert f"/docs/{page}/" in first.links
        answer = client.get(f"/docs/{page}/")
        assert answer.status_code == 200
        assert "default-src 'none'" in answer["Content-Security-Policy"]
        shown = read(answer)
        assert [one for one, count in Counter(shown.ids).items() if count > 1] == []
        inside = {link[1:] for link in shown.links if link.startswith("#")}
        assert inside <= set(shown.ids)
        found += shown.ids

    whole = read(client.get("/docs/all/"))
    assert [one for one, count in Counter(whole.ids).items() if count > 1] == []
    assert set(found) <= set(whole.ids)

    operations = [
        verbs[verb]["operationId"]
        for verbs in told["paths"].values()
        for verb in VERBS
        if verb in verbs
    ]
    assert set(operations) <= set(found)


def read(answer) -> Reader:
    reader = Reader()
    reader.feed(answer.content.decode())
    return reader


@pytest.mark.django_db
def test_root_path_redirects_only_browsers_to_the_api_reference():
    client = host("models")

    assert client.get("/", headers={"accept": "text/html,*/*"})["Location"] == "/docs/"
    root = client.get("/")
    assert root.status_code == 404
    assert '<http://models.platform.test/docs/>; rel="service-doc"' in root["Link"]
    assert client.get("/docs/nothing/").status_code == 404


@pytest.mark.django_db
def test_error_statuses_of_the_api_reference_are_marked_as_errors():
    page = host("models").get("/docs/model/").content.decode()

    chips = set(re.findall(r'class="chip (ok|bad)">(\d)', page))

    assert chips == {("ok", "2"), ("bad", "4")}


@pytest.mark.django_db
@pytest.mark.parametrize("name", settings.SERVICES)
def test_api_reference_has_no_raw_backticks(name):
    client = host(name)
    addresses = ["/docs/", *(f"/docs/{page}/" for page in pages(document(name)))]

    texts = {address: client.get(address).content.decode() for address in addresses}

    samples = re.compile(r"<pre.*?</pre>", re.DOTALL)
    assert [at for at, text in texts.items() if "`" in samples.sub("", text)] == []


@pytest.mark.django_db
def test_quoted_names_of_the_api_reference_are_code_and_stay_escaped():
    assert inline_code("Send `a<b>` & wait") == "Send <code>a&lt;b&gt;</code> &amp; wait"
    assert inline_code("one ` alone") == "one ` alone"


@pytest.mark.django_db
@pytest.mark.parametrize("name", settings.SERVICES)
def test_index_of_the_api_reference_links_each_request(name):
    listed = pages(document(name)).values()

    links = read(host(name).get("/docs/")).links

    requests = {f"/docs/{page.name}/#{one.name}" for page in listed for one in page.operations}
    assert requests <= set(links)


def test_api_reference_page_is_not_sent_when_etag_matches():
    client = host("models")
    tag = client.get("/docs/model/")["ETag"]

    answer = client.get("/docs/model/", headers={"if-none-match": tag})

    assert (answer.status_code, answer.content) == (304, b"")


def test_api_reference_shows_curl_and_python_samples():
    (create,) = [
        one for one in pages(document("erp"))["bureau"].operations if one.name == "create_bureau"
    ]
    (read_one,) = [
        one for one in pages(document("erp"))["order"].operations if one.name == "retrieve_order"
    ]

    assert code_samples.curl(create, "http://erp.x").startswith(
        'curl -s -g -u "$TOKEN" -X POST "http://'
    )
    assert re.search(
        r"--json '\{\"name\": \"Parts & Sons\"", code_samples.curl(create, "http://erp.x")
    )
    assert '"http://erp.x/order/$UUID/"' in code_samples.curl(read_one, "http://erp.x")
    for one in (create, read_one):
        compile(code_samples.python(one, "http://erp.x"), "sample", "exec")
    assert 'f"http://erp.x/order/{uuid}/"' in code_samples.python(read_one, "http://erp.x")


def test_api_reference_shows_required_authentication():
    users = pages(document("users"))["users"].operations
    who = {one.name: one.who for one in users}

    assert who["create_users"] == ""
    assert who["list_users"] == "a session or an API token"


def test_api_reference_shows_example_responses_and_error_codes():
    named = {one.name: one for one in pages(document("models"))["model"].operations}
    create = named["create_model"]
    answers = {one.status: one for one in create.answers}

    assert create.sent["name"] == "part"
    assert answers["201"].example["status"] == "processing"
    assert "`missing-parameter`" in answers["400"].words
    assert "`idempotency-key-reused`" in answers["422"].words
    assert "`rate-limited`" in answers["default"].words


def test_api_reference_shows_required_rights_and_events():
    named = {one.name: one for one in pages(document("models"))["model"].operations}
    printers = {one.name: one for one in pages(document("erp"))["printer"].operations}

    assert named["destroy_model"].right == "To own it, or to hold `delete` on it in `models`."
    assert "model.processed" in named["retrieve_model"].events
    assert printers["create_printer"].right == "To hold `printer.all` on its location in `erp`."
    assert printers["retrieve_printer"].events == ()


@pytest.mark.django_db
def test_api_reference_search_finds_operations_by_words_fields_and_codes():
    client = host("slicing")

    def found(words: str) -> list[str]:
        page = read(client.get("/docs/", {"q": words}))
        return [link.partition("#")[2] for link in page.links if "/#" in link]

    assert found("dry_run")[0] == "create_slice"
    assert "create_slice" in found("constraint-violation")
    assert found("POST slice")[0] == "create_slice"
    assert found("slice zeppelin") == []
    assert "&lt;script&gt;" in client.get("/docs/", {"q": "<script>"}).content.decode()
