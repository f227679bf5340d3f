"""Describing many models by command."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.search.models import Descriptor, PairCheck
from geometry.similarity import DESCRIPTOR_VERSION
from tests.search.shapes import bar, bracket, turned

pytestmark = pytest.mark.django_db


def run(name: str, *words: str) -> list[str]:
    out = StringIO()
    call_command(name, *words, stdout=out)
    return out.getvalue().splitlines()


def test_models_that_were_uploaded_without_it_are_described_once(store):
    for part in (bracket(), bracket(), bar()):
        store(part, described=False)
    assert Descriptor.objects.count() == 0

    assert run("index_models")[-1] == "2 described, 0 not."

    assert Descriptor.objects.count() == 2
    assert run("index_models")[-1] == "0 described, 0 not."


def test_only_the_named_models_are_described(store):
    store(bracket(), described=False)
    chosen = store(bar(), described=False)

    assert run("index_models", chosen)[-1] == "1 described, 0 not."
    with pytest.raises(CommandError):
        run("index_models", "http://models.platform.test/")


def test_more_models_than_a_page_are_all_described(store, monkeypatch):
    monkeypatch.setattr("apps.search.domain.bulk_indexing.PAGE", 2)
    monkeypatch.setattr("apps.search.domain.bulk_indexing.WAITING", 2)
    for seed in range(5):
        store(turned(bar(), seed), described=False)

    assert run("index_models")[-1] == "5 described, 0 not."


def test_a_file_without_a_shape_is_named_and_the_others_are_described(store):
    store(bar()[:2], described=False)
    store(bar(), described=False)

    *_, said, last = run("index_models")

    assert "surface" in said or "triangles" in said
    assert last == "1 described, 1 not."


def test_reindexing_describes_anew_and_deletes_what_is_old(store, index, similar):
    copy, one = store(turned(bracket())), store(bracket())
    index(copy)
    before = similar(one)
    Descriptor.objects.update(version=0)
    PairCheck.objects.update(version=0)
    assert similar(one)["results"] == []

    assert run("reindex_models")[-2:] == ["2 described, 0 not.", "2 old descriptors deleted."]

    assert similar(one) == before
    assert not Descriptor.objects.exclude(version=DESCRIPTOR_VERSION).exists()
