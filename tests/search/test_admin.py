"""The operators' pages of the search."""

import pytest
from django.test import Client

from apps.search.models import IndexedModel, PairCheck
from geometry.similarity import COMPARISON_VERSION, DESCRIPTOR_VERSION
from tests.search.shapes import bracket, turned

pytestmark = pytest.mark.django_db


@pytest.fixture
def pages(operator):
    operator.is_superuser = True
    operator.save()
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    return client


@pytest.fixture
def compared(store, index, similar) -> str:
    """The URI of an indexed model that one comparison was made with."""
    uri = store(turned(bracket()))
    index(uri)
    similar(store(bracket()))
    return uri


@pytest.mark.parametrize(
    ("page", "count"),
    [
        ("indexedmodel/?q=part&status__exact=complete", 0),
        ("indexedmodel/?q=ada&status__exact=complete", 1),
        (f"descriptor/?version={DESCRIPTOR_VERSION}", 2),
        (f"paircheck/?version={COMPARISON_VERSION}", 1),
    ],
)
def test_admin_lists_find_search_rows(pages, compared, page, count):
    answer = pages.get(f"/search/{page}")

    assert answer.status_code == 200
    assert answer.context["cl"].result_count == count


def test_admin_search_rows_are_read_only(pages, compared):
    for page, row in (("indexedmodel", IndexedModel), ("paircheck", PairCheck)):
        shown = pages.get(f"/search/{page}/{row.objects.get().pk}/change/")
        assert shown.status_code == 200
        assert "_save" not in shown.content.decode()


def act(pages, page: str, action: str, keys: list) -> None:
    pages.post(f"/search/{page}/", {"action": action, "_selected_action": keys})


def test_admin_reindexes_a_model(pages, compared, run_jobs):
    row = IndexedModel.objects.get()
    found = row.content_hash

    act(pages, "indexedmodel", "index_again", [row.pk])
    row.refresh_from_db()
    assert row.status == "queued"
    assert run_jobs() == ["index_model"]

    row.refresh_from_db()
    assert (row.status, row.content_hash) == ("complete", found)


def test_reindexing_a_deleted_model_fails(pages, compared, run_jobs, client_of, person):
    client_of("models", person).delete(compared)

    act(pages, "indexedmodel", "index_again", [IndexedModel.objects.get().pk])
    run_jobs()

    row = IndexedModel.objects.get()
    assert (row.status, row.error) == ("error", "The model was deleted: delete this too.")


def test_admin_repeats_a_comparison(pages, compared, run_jobs):
    before = PairCheck.objects.get()

    act(pages, "paircheck", "compare_again", [before.pk])
    assert PairCheck.objects.count() == 0
    assert run_jobs() == ["compare_contents"]

    after = PairCheck.objects.get()
    assert after.pk != before.pk
    assert after.comparison["verdict"] == before.comparison["verdict"] == "identical"
