"""The hot statements say what the ORM says."""

import random

import pytest

from apps.warehouse.models import Model
from apps.warehouse.queries import ModelRow, read_model, readable_models, row_of


@pytest.fixture
def family(person, stranger) -> list[Model]:
    """Models of two owners with random facts, some deleted, some related."""
    chance = random.Random(7)
    models = [
        Model.objects.create(
            owner=chance.choice([person, stranger]),
            name=f"part {number}",
            type=chance.choice(["stl", "pdf"]),
            status=chance.choice(list(Model.Status)),
            errors=chance.choice([None, [{"code": "a", "title": "b"}]]),
            may_rotate=chance.choice([True, False]),
            analyses=chance.choice([None, {"manifold": True, "size": [1.5, 2, 3]}]),
        )
        for number in range(30)
    ]
    for _ in range(20):
        child, parent = chance.sample(models, 2)
        child.parents.add(parent)
    Model.objects.filter(pk__in=[model.pk for model in models[::7]]).update(
        deleted=models[0].created
    )
    return models


def expected(model: Model) -> dict:
    row = {name: getattr(model, name) for name in ModelRow._fields if not name.endswith("_keys")}
    return {
        **row,
        "parent_keys": {parent.pk for parent in model.parents.all()},
        "child_keys": {child.pk for child in model.children.all()},
    }


def as_sets(row: ModelRow) -> dict:
    values = dict(zip(ModelRow._fields, row, strict=True))
    return {
        **values,
        "parent_keys": set(row.parent_keys),
        "child_keys": set(row.child_keys),
    }


def test_one_model_is_read_as_the_orm_reads_it(family, person, operator):
    for user in (person, operator):
        readable = set(Model.objects.visible_to(user).values_list("pk", flat=True))
        for model in Model.objects.all():
            row = read_model(model.pk, user)
            if model.pk in readable:
                assert as_sets(row) == expected(model)
            else:
                assert row is None


def test_many_models_are_read_as_the_orm_reads_them(family, person, operator):
    for user in (person, operator):
        rows = {row.uuid: as_sets(ModelRow._make(row)) for row in readable_models(user)}

        assert rows == {model.pk: expected(model) for model in Model.objects.visible_to(user)}


def test_a_fresh_model_needs_no_second_look(person):
    model = Model.objects.create(owner=person, name="new")

    assert row_of(model) == read_model(model.pk, person)
