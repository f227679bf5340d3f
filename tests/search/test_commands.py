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


def test_index_models_describes_undescribed_models_once(store):
    for part in (bracket(), bracket(), bar()):
        store(part, described=False)
    assert Descriptor.objects.count() == 0

    assert run("index_models")[-1] == "2 described, 0 not."

    assert Descriptor.objects.count() == 2
    assert run("index_models")[-1] == "0 described, 0 not."


def test_index_models_describes_only_named_models(store):
    store(bracket(), described=False)
    chosen = store(bar(), described=False)

    assert run("index_models", chosen)[-1] == "1 described, 0 not."
    with pytest.raises(CommandError):
        run("index_models", "http://models.platform.test/")


def test_index_models_describes_more_models_than_one_page(store, monkeypatch):
    monkeypatch.setattr("apps.search.domain.bulk_indexing.PAGE", 2)
    monkeypatch.setattr("apps.search.domain.bulk_indexing.WAITING", 2)
    for seed in range(5):
        store(turned(bar(), seed), described=False)

    assert run("index_models")[-1] == "5 described, 0 not."


def test_index_models_reports_undescribable_file_and_continues(store):
    store(bar()[:2], described=False)
    store(bar(), described=False)

    *_, said, last = run("index_models")

    assert "surface" in said or "triangles" in said
    assert last == "1 described, 1 not."


def test_reindex_recreates_descriptors_and_deletes_old_ones(store, index, similar):
    copy, one = store(turned(bracket())), store(bracket())
    index(copy)
    before = similar(one)
    Descriptor.objects.update(version=0)
    PairCheck.objects.update(version=0)
    assert similar(one)["results"] == []

    assert run("reindex_models")[-2:] == ["2 described, 0 not.", "2 old descriptors deleted."]

    assert similar(one) == before
    assert not Descriptor.objects.exclude(version=DESCRIPTOR_VERSION).exists()
