"""Operators' pages of every kind: grouped, named, and listed with the same few queries."""

import re
from itertools import chain

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from project.site import SECTIONS
from tests.rows import row_of

KINDS = sorted(admin.site._registry, key=lambda kind: kind._meta.label)


@pytest.fixture
def pages(operator) -> Client:
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    return client


def path_of(kind) -> str:
    return f"/{kind._meta.app_label}/{kind._meta.model_name}/"


def test_every_kind_is_in_one_section_of_the_first_page():
    labels = list(chain.from_iterable(labels for _, labels in SECTIONS))

    assert sorted(labels) == [kind._meta.label for kind in KINDS]


def test_plurals_are_english():
    names = [str(kind._meta.verbose_name_plural) for kind in KINDS]

    assert [
        name for name in names if re.search("[^aeo]ys$|ings$|ship .*s$|Permission ", name)
    ] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind._meta.label)
def test_a_list_takes_the_same_queries_however_long_it_is(pages, kind):
    counts = []
    for more in (3, 5):
        for _ in range(more):
            row_of(kind)
        pages.get(path_of(kind))  # what is asked once and remembered
        with CaptureQueriesContext(
            connection,
        ) as asked:
            answer = pages.get(path_of(kind))
        assert answer.status_code == 200
        counts.append(len(asked))

    assert counts[0] == counts[1]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind._meta.label)
def test_a_page_says_nothing_twice(pages, kind):
    row = row_of(kind)

    page = pages.get(f"{path_of(kind)}{row.pk}/change/")

    assert page.status_code == 200
    labels = re.findall(r"<label[^>]*>([^<]+):</label>", page.content.decode())
    assert [label for label in labels if labels.count(label) > 1] == []
    assert labels


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind._meta.label)
def test_every_action_needs_the_right_to_change(kind):
    page = admin.site._registry[kind]
    actions = [getattr(page, name) for name in page.actions or ()]

    assert [action.__name__ for action in actions if action.allowed_permissions != ["act"]] == []
