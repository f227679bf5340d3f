"""Rights at 100,000 permissions beside django-guardian; FULL=1: at 1,000,000.

Both have the same holders on the same objects: four in five permissions lie on models, the others
on 40 busy objects with a fortieth of them each. A user in twenty is in 50 groups, the others are in
two. Every draw is asked by a user who remembers nothing, as at the beginning of a request. Times
are by the clock; the peer is django-guardian, installed for the benchmark into .cache.
"""

import random
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple
from uuid import UUID

from benchmarks.kit import FULL, PEERS, Figure, django_with_database, fetch_peer, report

PERMISSIONS = 1_000_000 if FULL else 100_000
USERS, GROUPS, BUSY = PERMISSIONS // 10, PERMISSIONS // 75, 40
MODELS = PERMISSIONS * 4 // 5
HEAVY, MANY, FEW = 20, 50, 2  # one user in HEAVY is in MANY groups, the others in FEW
OWN, SHARED = 1000, 100  # of one user, to whom their groups bring 1,500 more
CHECKS, PAGES, ROUNDS = 600, 40, 5

# Runs once: everything is made by the database, in a minute for a million.
DATA = [
    "SELECT setseed(0.5)",
    """INSERT INTO users_user (uuid, username, password, email, name, address, company, is_active,
           is_staff, is_superuser, is_platform_service, date_joined)
       SELECT uuidv7(), 'user' || n, '', 'u@example.com', 'User', '', '', true, false, false, false,
           now() FROM generate_series(1, %(users)s) n""",
    """INSERT INTO users_group (uuid, name, description, created)
       SELECT uuidv7(), 'group' || n, '', now() FROM generate_series(1, %(groups)s) n""",
    """CREATE TEMPORARY TABLE person AS
       SELECT uuid, row_number() OVER (ORDER BY uuid) AS n FROM users_user""",
    """CREATE TEMPORARY TABLE team AS
       SELECT uuid, row_number() OVER (ORDER BY uuid) AS n FROM users_group""",
    "CREATE INDEX ON person (n)",
    "CREATE INDEX ON team (n)",
    """INSERT INTO users_membership (uuid, user_id, group_id, created)
       SELECT uuidv7(), person.uuid, team.uuid, now()
       FROM person,
           generate_series(1, CASE WHEN n %% %(heavy)s = 0 THEN %(many)s ELSE %(few)s END) k
       JOIN LATERAL (SELECT (person.n * 7919 + k * 104729) %% %(groups)s + 1 AS place) p ON true
       JOIN team ON team.n = p.place ON CONFLICT DO NOTHING""",
    """INSERT INTO warehouse_model (uuid, owner_id, name, type, status, may_resize, may_rotate,
           unit, created, updated)
       SELECT uuidv7(), person.uuid, 'part ' || m, 'stl', 'processed', false, false, '', now(),
           now()
       FROM generate_series(1, %(models)s) m JOIN person
       ON person.n = CASE WHEN m <= %(own)s THEN %(heavy)s ELSE 1 + m %% (%(users)s - 1) END""",
    """CREATE TEMPORARY TABLE part AS
       SELECT uuid, row_number() OVER (ORDER BY uuid) AS n FROM warehouse_model""",
    "CREATE INDEX ON part (n)",
    # Who holds what: users and groups by halves on models, users on the busy objects; and shares
    # of one user who owns a thousand models, alone and by groups.
    """CREATE TEMPORARY TABLE held AS
       SELECT DISTINCT holder, kind, "right", part.uuid AS object FROM (
           SELECT 1 + floor(random() * CASE WHEN n %% 2 = 0 THEN %(users)s ELSE %(groups)s END)::int
                  AS place, CASE WHEN n %% 2 = 0 THEN 'user' ELSE 'group' END AS kind,
                  'read' AS "right", 1 + floor(random() * %(models)s)::int AS on_place
           FROM generate_series(1, %(models)s) n
           UNION ALL
           SELECT 1 + floor(random() * %(users)s)::int, 'user', 'write', 1 + n %% %(busy)s
           FROM generate_series(1, %(permissions)s / 5) n
           UNION ALL
           SELECT %(heavy)s, 'user', 'read', %(own)s + 7 * n FROM generate_series(1, %(shared)s) n
       ) drawn
       JOIN part ON part.n = on_place
       JOIN LATERAL (SELECT uuid AS holder FROM person WHERE kind = 'user' AND n = place
           UNION ALL SELECT uuid FROM team WHERE kind = 'group' AND n = place) h ON true""",
    """INSERT INTO users_permission (uuid, holder, namespace, object, "right", holder_uuid,
           object_uuid, created)
       SELECT uuidv7(), %(base)s || kind || 's/' || holder || '/', 'models',
           %(models_base)s || object || '/', "right", holder, object, now() FROM held""",
]
PEER_DATA = [
    "INSERT INTO auth_group (name) SELECT uuid::text FROM team ORDER BY n",
    """INSERT INTO users_user_groups (user_id, group_id)
       SELECT user_id, auth_group.id FROM users_membership
       JOIN auth_group ON auth_group.name = group_id::text""",
    """INSERT INTO guardian_userobjectpermission
           (permission_id, content_type_id, object_pk, user_id)
       SELECT auth_permission.id, content_type_id, object::text, holder FROM held
       JOIN auth_permission ON codename = "right" WHERE kind = 'user'""",
    """INSERT INTO guardian_groupobjectpermission
           (permission_id, content_type_id, object_pk, group_id)
       SELECT auth_permission.id, content_type_id, object::text, auth_group.id FROM held
       JOIN auth_permission ON codename = "right"
       JOIN auth_group ON auth_group.name = holder::text WHERE kind = 'group'""",
]


class Draw(NamedTuple):
    """A question: may this user do that to this model?"""

    user: UUID
    object: UUID
    right: str


def main() -> None:
    sys.path.append(str(PEERS))
    peer = fetch_peer("django-guardian")
    settings = "benchmarks.peers.guardian_settings" if peer else "project.settings"
    with django_with_database(settings):
        fill(peer=peer)
        report("rights", measure(peer=peer))


def fill(*, peer: bool) -> None:
    """The rows of both, and the statistics that a database has of itself after a while."""
    from django.contrib.auth.models import Permission
    from django.contrib.contenttypes.models import ContentType
    from django.db import connection

    from apps.warehouse.models import Model
    from core.uris import base_url

    values = {
        "users": USERS, "groups": GROUPS, "models": MODELS, "permissions": PERMISSIONS,
        "busy": BUSY, "heavy": HEAVY, "many": MANY, "few": FEW, "own": OWN, "shared": SHARED,
        "base": f"{base_url('users')}/", "models_base": f"{base_url('models')}/model/",
    }  # fmt: skip
    kind = ContentType.objects.get_for_model(Model)
    for right in ("read", "write"):
        Permission.objects.create(content_type=kind, codename=right, name=right)
    begun = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        for statement in DATA + (PEER_DATA if peer else []):
            # Not bound by the server, which cannot tell the types of numbers in expressions.
            cursor.execute(inlined(statement, values))
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT count(*) FROM users_permission")
        count = cursor.fetchone()[0]
    print(f"{count:,} permissions made in {time.perf_counter() - begun:.0f} s")


def inlined(statement: str, values: dict[str, Any]) -> str:
    """The statement with its values written into it; they are constants of this file."""
    quoted = {name: repr(value) for name, value in values.items()}
    return statement % quoted if "%(" in statement else statement


def measure(*, peer: bool) -> list[Figure]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from apps.users.models import User
    from apps.users.services.permission_queries import holders
    from apps.warehouse.models import Model
    from apps.warehouse.queries import readable_models
    from core.uris import build_uri

    draws = draw(connection)
    users = {user.pk: user for user in User.objects.filter(pk__in={d.user for d in draws})}
    uris = {d.object: build_uri("models", "model-detail", uuid=d.object) for d in draws}
    root = User(username="root", is_staff=True)
    person = User.objects.order_by("uuid")[HEAVY - 1]
    busy = list(Model.objects.order_by("uuid").values_list("pk", flat=True)[:BUSY])

    def may(question: Draw) -> bool:
        user = users[question.user]
        vars(user).pop("_rights", None)
        return user.has_perm(f"models.{question.right}", uris[question.object])

    def asked_who_can(key: UUID) -> Any:
        uri = build_uri("models", "model-detail", uuid=key)
        found = holders(user=root, namespace="models", right="write", on=uri)
        return found.order_by("-holder_uuid", "-uuid").values_list("holder", "uuid")[:100]

    def who_can(key: UUID) -> int:
        return len(asked_who_can(key))

    def statement(key: UUID) -> int:
        text, values = texts[key]
        with connection.cursor() as cursor:
            cursor.execute(text, values)
            return len(cursor.fetchall())

    def page(_: Any) -> int:
        return len(list(readable_models(person).order_by("-uuid")[:100]))

    texts = {key: asked_who_can(key).query.sql_with_params() for key in busy}
    jobs: dict[str, tuple[list, Callable, Callable | None, str]] = {
        "a check": (draws, may, None, "p95 <= 1"),
        "100 who can, the statement alone": (busy, statement, None, "p95 <= 1"),
        "100 who can": (busy, who_can, None, ""),
        "page of 100 readable": ([None] * PAGES, page, None, "p50 <= 4"),
    }
    if peer:
        peers = guardian_jobs(users, person)
        jobs = {
            name: (over, job, peers.get(name), goal) for name, (over, job, _, goal) in jobs.items()
        }

    figures = []
    for name, (over, job, other, goal) in jobs.items():
        own, beside = latencies(over, job, other)
        for point in (50, 95):
            at = len(own) * point // 100
            limit = goal.partition(" ")[2] if goal.startswith(f"p{point} ") else ""
            figures.append(Figure(f"{name}, p{point}", "ms", own[at], beside and beside[at], limit))
        with CaptureQueriesContext(connection) as seen:
            job(over[0])
        figures.append(Figure(f"{name}, queries", "", len(seen), goal="<= 1"))
    return figures


def draw(connection: Any) -> list[Draw]:
    """Questions: one in four by users in 50 groups, one in two with the answer yes."""
    chance = random.Random(3)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT holder, object, \"right\" FROM held WHERE kind = 'user'"
            f" ORDER BY random() LIMIT {CHECKS}"
        )
        given = [Draw(*row) for row in cursor.fetchall()]
        cursor.execute(f"SELECT uuid FROM person WHERE n % {HEAVY} = 0 LIMIT {CHECKS}")
        heavy = [row[0] for row in cursor.fetchall()]
    asked = []
    for question in given:
        if chance.random() < 0.25:
            question = question._replace(user=chance.choice(heavy))
        elif chance.random() < 0.5:
            question = question._replace(user=chance.choice(given).user)
        asked.append(question)
    return asked


def guardian_jobs(users: dict[UUID, Any], person: Any) -> dict[str, Callable]:
    """The same questions, asked of django-guardian; its answers must be ours."""
    from guardian.core import ObjectPermissionChecker
    from guardian.shortcuts import get_objects_for_user, get_users_with_perms

    from apps.warehouse.models import Model

    def may(question: Draw) -> bool:
        checker = ObjectPermissionChecker(users[question.user])
        return checker.has_perm(question.right, Model(pk=question.object))

    def who_can(key: UUID) -> int:
        found = get_users_with_perms(
            Model(pk=key), only_with_perms_in=["write"], with_group_users=False
        )
        return len(found.order_by("pk")[:100])

    def page(_: Any) -> int:
        found = get_objects_for_user(person, "read", Model, accept_global_perms=False)
        return len(found.order_by("-uuid")[:100])

    return {"a check": may, "100 who can": who_can, "page of 100 readable": page}


def latencies(
    over: list, job: Callable, other: Callable | None
) -> tuple[list[float], list[float] | None]:
    """Sorted times of the draws, ms, ours and the peer's in turn; their answers must agree.

    Each draw's time is the median of its rounds, of which the first warms the caches.
    """
    jobs = [job, other] if other else [job]
    times: list[list[list[float]]] = [[[] for _ in over] for _ in jobs]
    for _ in range(1 + ROUNDS):
        for at, question in enumerate(over):
            answers = []
            for measured, ask in zip(times, jobs, strict=True):
                begun = time.perf_counter()
                answers.append(ask(question))
                measured[at].append((time.perf_counter() - begun) * 1e3)
            if len(set(answers)) != 1:
                raise SystemExit(f"The answers differ on {question}: {answers}")
    own, *rest = (sorted(median(rounds[1:]) for rounds in measured) for measured in times)
    return own, rest[0] if rest else None


if __name__ == "__main__":
    main()
