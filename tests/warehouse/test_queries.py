"""The hot statements say what the ORM says."""

import random
import re
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from apps.callbacks import interface as callbacks
from apps.users import interface as users
from apps.users.models import Group, Membership
from apps.warehouse import queries
from apps.warehouse.models import Model
from apps.warehouse.queries import ModelRow, read_model, readable_models, row_of
from apps.warehouse.views.models import named


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


@pytest.fixture
def shared(family, person, stranger, operator) -> None:
    """Some of them are shared with `person`, some with a group of theirs, some by a stale right."""
    chance = random.Random(8)
    group = Group.objects.create(creator=operator)
    Membership.objects.create(group=group, user=person)
    nobody = UUID(int=family[-1].pk.int + 1)
    for model in chance.sample(family, 15):
        users.grant(
            actor=None,
            holder=chance.choice([person.uri, group.uri, stranger.uri]),
            namespace=chance.choice(["models", "models", "erp"]),
            object=model.uri,
            right=chance.choice(["read", "read", "write"]),
        )
    for key in (nobody, family[7].pk, family[14].pk):
        stale = family[0].uri.replace(str(family[0].pk), str(key))
        users.grant(actor=None, holder=person.uri, namespace="models", object=stale, right="read")


@pytest.fixture
def told(family, person) -> None:
    """Ada gave callbacks with two of them, and another one afterwards."""
    for model, url in (
        (family[0], "http://a/1"),
        (family[3], "http://a/2"),
        (family[3], "http://a/3"),
    ):
        callbacks.subscribe(uri=model.uri, owner_id=person.pk, url=url, method="PUT")


def expected(model: Model, user) -> dict:
    columns = {field.attname for field in Model._meta.fields}
    given = callbacks.callbacks_of(uris=[model.uri], owner_id=user.pk)
    return {
        **{name: getattr(model, name) for name in ModelRow._fields if name in columns},
        "callback": given.get(model.uri) if user.pk == model.owner_id else None,
        "parent_keys": {parent.pk for parent in model.parents.visible_to(user)},
        "child_keys": {child.pk for child in model.children.visible_to(user)},
    }


def as_sets(row: ModelRow) -> dict:
    values = dict(zip(ModelRow._fields, row, strict=True))
    return {
        **values,
        "parent_keys": set(row.parent_keys),
        "child_keys": set(row.child_keys),
    }


def test_read_model_matches_the_orm(family, shared, told, person, stranger, operator):
    for user in (person, stranger, operator):
        readable = set(Model.objects.visible_to(user).values_list("pk", flat=True))
        for model in Model.objects.all():
            row = read_model(model.pk, user)
            if model.pk in readable:
                assert as_sets(row) == expected(model, user)
            else:
                assert row is None


def test_readable_models_match_the_orm(family, shared, told, person, stranger, operator):
    for user in (person, stranger, operator):
        rows = {row.uuid: as_sets(ModelRow._make(row)) for row in readable_models(user)}

        assert rows == {model.pk: expected(model, user) for model in Model.objects.visible_to(user)}


def test_visible_models_include_shared_models(family, shared, person):
    own = Model.objects.filter(owner=person, deleted=None).count()

    assert Model.objects.visible_to(person).count() > own


@pytest.mark.parametrize(
    ("conditions", "order"),
    [
        (Q(), ("-uuid",)),
        (Q(), ("uuid",)),
        (Q(), ("name", "uuid")),
        (Q(), ("-name", "-uuid")),
        (Q(), ("-status", "-uuid")),
        (Q(), ("-status", "type", "name", "uuid")),
        (Q(status="processed"), ("-uuid",)),
        (Q(status__in=["processed", "error"]) & Q(type="stl"), ("updated", "uuid")),
        (named("1"), ("-updated", "-uuid")),
        (~named("1"), ("-uuid",)),
        (named("part *2") & Q(status="error"), ("status", "uuid")),
        (Q(status="none"), ("-uuid",)),
        (Q(status__in=[]), ("-uuid",)),
    ],
)
def test_every_page_matches_the_orm(family, shared, person, operator, conditions, order):
    for user in (person, operator):
        keys = list(
            Model.objects.visible_to(user)
            .filter(conditions)
            .order_by(*order)
            .values_list("pk", flat=True)
        )
        rows = readable_models(user).filter(conditions).order_by(*order)

        assert rows.order_by()[:10].count() == min(10, len(keys))
        assert rows.count() == len(keys)
        for start in range(0, len(keys) + 3, 3):
            assert [row.uuid for row in rows[start : start + 4]] == keys[start : start + 4]


NAMES = [
    "Brücke",
    "BRÜCKE 2",
    "bracket_50%",
    "bracket-507",
    r"back\slash",
    "ab",
    "x",
    "Ωmega",
    "50%",
]
PATTERNS = [
    "brü*",
    "BRÜ",
    "*cke 2",
    "b*k*",
    "_50%",
    "50%",
    r"k\s",
    "ab",
    "a*b",
    "Ck",
    "b*ck*et",
    "qz",
    "x",
    "ωme",
    "nothing",
]


@pytest.mark.parametrize("walk", [1, 4, 5000])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_name_search_matches_for_every_walk_length(
    person, stranger, operator, monkeypatch, pattern, walk
):
    monkeypatch.setattr(queries, "WALK", walk)
    for number, name in enumerate(NAMES * 2):
        model = Model.objects.create(owner=[person, stranger][number % 2], name=name)
        if number % 3 == 1:
            users.grant(
                actor=None, holder=person.uri, namespace="models", object=model.uri, right="read"
            )
    whole = pattern if "*" in pattern else f"*{pattern}*"
    matches = re.compile(re.escape(whole.lower()).replace(r"\*", ".*")).fullmatch

    for user in (person, stranger, operator):
        seen = Model.objects.visible_to(user).order_by("-uuid")
        wanted = [model.pk for model in seen if matches(model.name.lower())]
        rows = readable_models(user).filter(named(pattern))

        assert rows.count() == len(wanted)
        for order, keys in (("-uuid", wanted), ("uuid", wanted[::-1])):
            assert [row.uuid for row in rows.order_by(order)[:3]] == keys[:3]
            assert [row.uuid for row in rows.order_by(order)[2:40]] == keys[2:40]


def test_filters_on_created_match_the_orm(person, operator):
    chance = random.Random(9)
    now = Model.objects.create(owner=person, name="now").created
    for _ in range(40):
        made = now - timedelta(hours=chance.randrange(240))
        key = UUID(int=int(made.timestamp() * 1000) << 80 | chance.getrandbits(62))
        Model.objects.create(pk=key, owner=person, name="old")
        Model.objects.filter(pk=key).update(created=made + timedelta(seconds=chance.randrange(99)))

    times = list(Model.objects.values_list("created", flat=True)[::4])
    for comparison in ("lt", "lte", "gt", "gte"):
        for moment in times:
            bound = Q(**{f"created__{comparison}": moment})
            keys = Model.objects.filter(bound).order_by("-uuid").values_list("pk", flat=True)
            for user in (person, operator):
                rows = readable_models(user).filter(bound).order_by("-uuid")
                assert [row.uuid for row in rows[:100]] == list(keys)


def test_newest_models_are_read_on_from_a_cursor(family, shared, person):
    keys = list(Model.objects.visible_to(person).order_by("-uuid").values_list("pk", flat=True))
    rows = readable_models(person).filter(Q()).order_by("-uuid")

    for at, key in enumerate(keys):
        found = [row.uuid for row in rows.filter(uuid__lt=str(key))[:4]]
        assert found == keys[at + 1 : at + 5]


@pytest.mark.parametrize("own_is_older", [True, False])
@pytest.mark.parametrize("order", ["-uuid", "uuid"])
def test_shared_and_own_models_are_merged_in_order(person, stranger, own_is_older, order):
    owners = [person, stranger] if own_is_older else [stranger, person]
    made = [Model.objects.create(owner=owner, name="x") for owner in owners * 2 for _ in range(5)]
    for model in made:
        if model.owner == stranger:
            users.grant(
                actor=None, holder=person.uri, namespace="models", object=model.uri, right="read"
            )
    keys = sorted((model.pk for model in made), reverse=order == "-uuid")

    for most in range(1, len(keys) + 2):
        assert [r.uuid for r in readable_models(person).order_by(order)[:most]] == keys[:most]


def test_row_of_a_new_model_equals_the_stored_row(person):
    model = Model.objects.create(owner=person, name="new")

    assert row_of(model) == read_model(model.pk, person)


def test_list_query_stays_cheap_with_wrong_table_statistics(person):
    Model.objects.bulk_create(Model(owner=person, name=f"part {n}") for n in range(400))
    with connection.cursor() as cursor:  # as a vacuum leaves it that finds one row in many pages
        cursor.execute(
            "SELECT pg_restore_relation_stats('schemaname', 'public', 'relname',"
            " 'warehouse_model', 'relpages', 1000, 'reltuples', 1::real)"
        )
    with CaptureQueriesContext(connection) as asked:
        list(readable_models(person).order_by("-uuid")[:100])

    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {asked[0]['sql']}")
        plan = cursor.fetchone()[0][0]["Plan"]

    # Some for each of the hundred; otherwise 400 for each.
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 4_000
