"""The hot statements say what the ORM says, and nobody climbs by the API."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.users.domain import rights
from apps.users.domain.rights import Question
from apps.users.models import Group, Membership, Permission, User
from apps.users.services.permissions import grant
from apps.warehouse.models import Model
from core.rights import MissingRight, require_right

RIGHTS = ("read", "write", "bureau.permission.all", "group.membership.all", "group.all")
NAMESPACES = ("erp", "models", "users")


@pytest.fixture
def people(person, stranger) -> list[User]:
    return [person, stranger, *(User.objects.create_user(f"user{n}", "u@x.org") for n in range(3))]


@pytest.fixture
def groups(people) -> list[Group]:
    return [Group.objects.create(creator=people[-1]) for _ in range(4)]


@pytest.fixture
def objects(people, groups) -> list[str]:
    models = [Model.objects.create(owner=people[-1], name="part") for _ in range(3)]
    return [
        *(model.uri for model in models),
        groups[0].uri,
        "http://elsewhere.example/bureau/1/",
        models[0].uri.replace("platform.test", "evil.example"),
    ]


@pytest.fixture
def granted(people, groups, objects) -> random.Random:
    """Random memberships and permissions; the chance that made them."""
    chance = random.Random(11)
    for user in people:
        for group in chance.sample(groups, 2):
            Membership.objects.create(user=user, group=group)
    holders = [*(user.uri for user in people), *(group.uri for group in groups), "urn:robot"]
    for _ in range(60):
        grant(
            actor=None,
            holder=chance.choice(holders),
            namespace=chance.choice(NAMESPACES),
            object=chance.choice(objects),
            right=chance.choice(RIGHTS),
        )
    return chance


def held(user: User) -> set[tuple[str, str, str]]:
    """All that a user holds, found in the plain way."""
    groups = [membership.group.uri for membership in user.memberships.all()]
    rows = Permission.objects.filter(holder__in=[user.uri, *groups])
    return {(row.namespace, row.right, row.object) for row in rows}


def test_permission_statement_agrees_with_the_orm(people, objects, granted):
    yes = 0
    for user in people:
        known = held(user)
        for namespace in NAMESPACES:
            for right in RIGHTS:
                for on in objects:
                    expected = (namespace, right, on) in known
                    assert user.has_perm(f"{namespace}.{right}", on) is expected
                    yes += expected

    assert 50 < yes < 400


def test_batch_permission_check_agrees_with_single_checks(people, objects, granted):
    asked = [
        Question(user.uri, namespace, on, right)
        for user in people
        for namespace in NAMESPACES
        for on in objects
        for right in RIGHTS
    ]

    answers = rights.answer(asked)

    by_uri = {user.uri: held(user) for user in people}
    assert answers == [
        (question.namespace, question.right, question.object) in by_uri[question.holder]
        for question in asked
    ]


def test_granting_requires_delegated_right_or_ownership(people, groups, objects, granted):
    owner = people[-1]
    for user in people:
        delegated = {(n, o) for n, right, o in held(user) if right.endswith(".permission.all")}
        for namespace in NAMESPACES:
            for on in objects:
                own = user == owner and on in objects[:4]
                assert rights.may_grant(user, namespace, on) is (
                    own or (namespace, on) in delegated
                )


def test_permission_check_is_cached_per_user_and_object(person, objects):
    with CaptureQueriesContext(connection) as seen:
        for _ in range(3):
            assert not person.has_perm("erp.read", objects[0])
            assert not person.has_perm("erp.read", objects[-1])

    assert len(seen) == 2


def test_administrator_has_every_right_and_inactive_user_has_none(person, operator, objects):
    grant(actor=None, holder=person.uri, namespace="erp", object=objects[0], right="read")

    assert operator.has_perm("erp.read", objects[0])
    assert person.has_perm("erp.read", objects[0])
    person = User.objects.get(pk=person.pk)
    person.is_active = False
    assert not person.has_perm("erp.read", objects[0])
    assert not person.has_perm("erp.read")


def test_missing_right_error_names_right_and_object(person, objects):
    with pytest.raises(MissingRight) as rejection:
        require_right(person, "manufacturer.all", namespace="erp", on=objects[4])

    assert "manufacturer.all" in rejection.value.title
    assert rejection.value.details == {
        "right": "manufacturer.all",
        "namespace": "erp",
        "object": objects[4],
        "granted_by": [],
    }


# ---------------------------------------------------------------- nobody climbs


@pytest.mark.parametrize("seed", range(2))
def test_random_api_calls_never_escalate_privileges(
    client_of, seed, people, groups, objects, granted
):
    """Two users without authority try what the API offers, on everything that they can name.

    What they make themselves is theirs; what was there before stays out of reach.
    """
    chance = random.Random(seed)
    climbers = people[:2]
    Permission.objects.filter(right__endswith=".all").delete()
    before = {user: held(user) for user in climbers}
    counted = Permission.objects.count(), Membership.objects.count()
    uris = [row.uri for kind in (Group, Membership, Permission) for row in kind.objects.all()]
    users = [user.uri for user in people]
    clients = {user: client_of("users", user) for user in climbers}
    accepted = 0

    for _ in range(120):
        user = chance.choice(climbers)
        call = chance.choice([_post_permission, _post_membership, _post_group, _put, _put, _delete])
        answer = call(clients[user], chance, uris, users, objects)
        assert answer.status_code < 500, answer.content
        if answer.status_code == 201:
            accepted += 1
            uris.append(answer["Location"])

    assert accepted > 5
    for user in climbers:
        new = held(User.objects.get(pk=user.pk)) - before[user]
        own = {group.uri for group in Group.objects.filter(creator__in=climbers)}
        assert {on for _, _, on in new} <= own
    foreign = Permission.objects.exclude(created_by__in=climbers)
    assert foreign.count() <= counted[0]
    added = Membership.objects.filter(created_by__in=climbers)
    assert not added.exclude(group__creator__in=climbers).exists()


def _strings(chance: random.Random, uris: list[str], users: list[str], objects: list[str]) -> dict:
    return {
        "holder": chance.choice([*users[:2], chance.choice(uris)]),
        "namespace": chance.choice(NAMESPACES),
        "object": chance.choice([chance.choice(objects), chance.choice(uris)]),
        "right": chance.choice(RIGHTS),
    }


def _post_permission(client, chance, uris, users, objects):
    return client.post("/permissions/", _strings(chance, uris, users, objects))


def _post_membership(client, chance, uris, users, objects):
    return client.post(
        "/memberships/", {"group": chance.choice(uris), "user": chance.choice(users)}
    )


def _post_group(client, chance, uris, users, objects):
    return client.post("/groups/", {"name": "mine"})


def _put(client, chance, uris, users, objects):
    uri = chance.choice(uris)
    change = {**_strings(chance, uris, users, objects), "group": chance.choice(uris)}
    change |= {"user": chance.choice(users), "name": "mine", "creator": users[0]}
    fits = {"permissions": 4, "memberships": 2, "groups": 1}
    fields = {"permissions": list(change)[:4], "memberships": ["group", "user"], "groups": ["name"]}
    kind = uri.split("/")[3]
    names = chance.sample(fields[kind], chance.randint(1, fits[kind]))
    return client.put(uri, {name: change[name] for name in names})


def _delete(client, chance, uris, users, objects):
    return client.delete(chance.choice(uris))
