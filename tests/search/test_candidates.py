"""Candidates among many: through the index, under a filter, and what the database plans."""

import numpy as np
import pytest
from django.db import connection
from pgvector import HalfVector

from apps.search.domain import candidates
from apps.search.domain.candidates import Reach
from apps.search.models import Descriptor, IndexedModel
from apps.warehouse.models import Model
from core.models import Blob
from geometry.similarity import DESCRIPTOR_VERSION, SIZE, Description

pytestmark = pytest.mark.django_db

MANY, EACH = 1000, 10  # contents; every tenth is the person's
ANYWHERE = "http://elsewhere.example/model/1/"


def description(vector: np.ndarray) -> Description:
    return Description(
        vector=vector.tolist(), radii=(0.8, 0.5, 0.33), area_ratio=1, volume_ratio=None, rms=1.0,
        diagonal=1.0, triangles=12,
    )  # fmt: skip


@pytest.fixture
def crowd(person, stranger) -> np.ndarray:
    """(MANY, SIZE): contents, the models of which are another's but for every tenth."""
    draw = np.random.default_rng(5)
    vectors = draw.normal(size=(MANY, 40)) @ draw.normal(size=(40, SIZE)) / 1000
    names = [f"{number:064x}" for number in range(MANY)]
    Blob.objects.bulk_create([Blob(sha256=name, size=1) for name in names])
    models = Model.objects.bulk_create(
        Model(
            owner=stranger if number % EACH else person,
            name=name,
            status="processed",
            canonical_id=name,
        )
        for number, name in enumerate(names)
    )
    IndexedModel.objects.bulk_create(
        IndexedModel(
            owner=person,
            model_uri=model.uri,
            model_uuid=model.uuid,
            status="complete",
            content_hash=model.canonical_id,
        )
        for model in models
    )
    index = next(index for index in Descriptor._meta.indexes if index.name == "descriptor_vector")
    with connection.schema_editor() as editor:
        editor.remove_index(Descriptor, index)
    rows = (
        Descriptor(
            content_hash=name, version=DESCRIPTOR_VERSION, vector=HalfVector(vector.tolist()),
            radius_major=0.9, radius_middle=0.3, radius_minor=number / MANY, area_ratio=1, rms=1,
            diagonal=1, triangles=12,
        )
        for number, (name, vector) in enumerate(zip(names, vectors, strict=True))
    )  # fmt: skip
    Descriptor.objects.bulk_create(rows, batch_size=500)
    with connection.schema_editor() as editor:
        editor.add_index(Descriptor, index)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE search_descriptor, search_indexedmodel, warehouse_model")
    return vectors


@pytest.fixture
def by_index(monkeypatch) -> None:
    """As if any were too many to look at each."""
    monkeypatch.setattr(candidates, "FEW", 0.0)
    monkeypatch.setattr(candidates, "SHARE", 0.0)


def exact(crowd: np.ndarray, wanted: np.ndarray, step: int, most: int) -> list[str]:
    apart = np.abs(crowd[::step] - wanted).sum(axis=1)
    return [f"{number * step:064x}" for number in np.argsort(apart)[:most]]


def recall(crowd: np.ndarray, reach: Reach, step: int) -> float:
    """Share of the twenty nearest that are found, over some questions."""
    hits = 0
    wanted = crowd[7::200] + 0.001
    for vector in wanted:
        found = [item.sha256 for item in candidates.nearest(description(vector), reach, 20)]
        assert len(found) == 20
        hits += len({*found} & {*exact(crowd, vector, step, 20)})
    return hits / (20 * len(wanted))


def test_few_rows_are_scanned_exactly(crowd, person):
    assert recall(crowd, Reach(person, ANYWHERE, None, indexed_only=False), EACH) >= 0.995


def test_vector_index_finds_nearest_rows_under_a_filter(crowd, by_index, person, operator):
    assert recall(crowd, Reach(operator, ANYWHERE, None, indexed_only=False), 1) >= 0.99
    assert recall(crowd, Reach(person, ANYWHERE, None, indexed_only=False), EACH) >= 0.99


def test_full_scan_is_used_when_the_vector_index_finds_too_few(crowd, by_index, stranger):
    shown = Model.objects.filter(owner=stranger).order_by("-canonical_id")[:3]
    IndexedModel.objects.exclude(content_hash__in=[m.canonical_id for m in shown]).delete()
    IndexedModel.objects.update(owner=stranger)
    reach = Reach(stranger, ANYWHERE, None, indexed_only=True)

    found = candidates.nearest(description(crowd[0]), reach, 20)

    assert {item.sha256 for item in found} == {model.canonical_id for model in shown}


def test_equal_radii_with_different_area_do_not_match(crowd, person):
    reach = Reach(person, ANYWHERE, None, indexed_only=True)
    wanted = description(crowd[0])._replace(radii=(0.9, 0.3, 10 / MANY))

    assert [item.sha256 for item in candidates.alike(wanted, reach)] == [f"{10:064x}"]
    assert candidates.alike(wanted._replace(area_ratio=1.002), reach) == []


def test_each_candidate_query_uses_its_index(crowd, person, monkeypatch):
    plans = []
    ask = candidates._ask

    def explain(statement: str, values: tuple) -> list:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {statement}", values)
            plans.append("\n".join(row[0] for row in cursor.fetchall()))
        return ask(statement, values)

    monkeypatch.setattr(candidates, "_ask", explain)
    scopes = [Reach(person, ANYWHERE, None, indexed_only=only) for only in (True, False)]
    for reach in scopes:
        candidates.alike(description(crowd[3]), reach)
    for reach in scopes:
        candidates.nearest(description(crowd[3]), reach, 20)  # one by one
    monkeypatch.setattr(candidates, "FEW", 0.0)
    monkeypatch.setattr(candidates, "SHARE", 0.0)
    for reach in scopes:
        candidates.nearest(description(crowd[3]), reach, 20)  # too many: then by the index

    indexes = ["radii", "radii", "content", "content", "content", "vector", "content", "vector"]
    assert [f"descriptor_{index}" in plan for index, plan in zip(indexes, plans, strict=True)] == (
        [True] * 8
    )
