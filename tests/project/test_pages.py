"""Operators' pages of every kind: grouped, named, and listed with the same few queries."""

import re
from itertools import chain

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.erp.models import LineItem
from apps.integrations.models import Service
from apps.warehouse.models import Model
from core.actors import answer_probe
from project.admin_site import SECTIONS
from tests.rows import row_of

KINDS = sorted(admin.site._registry, key=lambda kind: kind._meta.label)
FAILING = [kind for kind in KINDS if getattr(admin.site._registry[kind], "failed", None)]


@pytest.fixture
def pages(operator) -> Client:
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    return client


def path_of(kind) -> str:
    return f"/{kind._meta.app_label}/{kind._meta.model_name}/"


def test_every_admin_model_is_in_one_section_of_the_index_page():
    labels = list(chain.from_iterable(labels for _, labels in SECTIONS))

    assert sorted(labels) == [kind._meta.label for kind in KINDS]


def test_admin_plural_names_are_correct_english():
    names = [str(kind._meta.verbose_name_plural) for kind in KINDS]

    assert [
        name for name in names if re.search("[^aeo]ys$|ss$|ings$|ship .*s$|Permission ", name)
    ] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind._meta.label)
def test_admin_list_query_count_is_independent_of_row_count(pages, kind):
    pages.get(path_of(kind))  # what is asked once and remembered
    counts = []
    for more in (3, 5):
        for _ in range(more):
            row_of(kind)
        with CaptureQueriesContext(connection) as asked:
            answer = pages.get(path_of(kind))
        assert answer.status_code == 200
        counts.append(len(asked))

    assert counts[0] == counts[1]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind._meta.label)
def test_admin_change_page_has_no_duplicate_labels(pages, kind):
    row = row_of(kind)

    page = pages.get(f"{path_of(kind)}{row.pk}/change/")

    assert page.status_code == 200
    labels = re.findall(r"<label[^>]*>([^<]+):</label>", page.content.decode())
    assert [label for label in labels if labels.count(label) > 1] == []
    assert labels


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind._meta.label)
def test_every_admin_action_requires_the_act_permission(kind):
    page = admin.site._registry[kind]
    actions = [getattr(page, name) for name in page.actions or ()]

    assert [action.__name__ for action in actions if action.allowed_permissions != ["act"]] == []


def test_admin_index_lists_failures_and_queue_counts(pages):
    answer_probe.send_with_options(
        args=("default", "", ""), delay=86_400_000
    )  # an alarm of tomorrow
    errors = [{"code": "not-stl", "title": "This is no STL file."}]
    broken = row_of(Model, status="error", errors=errors)

    page = pages.get("/").content.decode()

    failures = page.split('id="failures"')[1].split("</section>")[0]
    assert "This is no STL file." in failures
    assert f'name="_selected_action" value="{broken.pk}"' in failures
    assert 'action="/warehouse/model/"' in failures
    queues = page.split('id="queues"')[1].split("</section>")[0]
    assert re.findall("<td>([^<]*)</td>", queues) == ["0", "-", "0", "0", "1", "0"]
    assert ">Broken<" in page  # no worker is alive here


@pytest.mark.django_db
@pytest.mark.parametrize("kind", FAILING, ids=lambda kind: kind._meta.label)
def test_admin_page_states_why_a_row_has_failed(kind):
    has_errors = any(field.name == "errors" for field in kind._meta.get_fields())
    row = row_of(kind, **({"errors": [{"title": "This is no STL file."}]} if has_errors else {}))

    assert isinstance(admin.site._registry[kind].why(row), str)


def test_admin_renders_uris_as_links_and_json_as_table(pages):
    model = row_of(Model, analyses={"manifold": True, "edges": [{"open": 3}]})
    item = row_of(LineItem, model_uri=model.uri)

    line_item = pages.get(f"/erp/lineitem/{item.pk}/change/").content.decode()
    page = pages.get(f"/warehouse/model/{model.pk}/change/").content.decode()

    assert f'<a href="/warehouse/model/{model.pk}/change/">{model.uri}</a>' in line_item
    assert '<table class="value"><tr><th>open</th></tr><tr><td>3</td></tr></table>' in page


def test_url_of_built_in_service_cannot_be_changed(pages):
    builtin = row_of(Service, creator=None, service_url="http://127.0.0.1:8001/heal/")
    form = {"name": "Healing", "type": "healing", "service_url": "http://example.com/"}

    pages.post(f"/integrations/service/{builtin.pk}/change/", {**form, "schema": "{}"})

    builtin.refresh_from_db()
    assert (builtin.name, builtin.service_url) == ("Healing", "http://127.0.0.1:8001/heal/")


def test_admin_pages_send_referrer_and_content_security_policies(pages):
    page = pages.get("/")

    assert page["Referrer-Policy"] == "strict-origin"
    assert "default-src 'self'" in page["Content-Security-Policy"]
