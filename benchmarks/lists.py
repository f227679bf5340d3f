"""Lists of a million models of one owner beside plain Django's, and beside a thousand models.

Two databases differ only in how many models that owner has: 20 others have 1,000 each, and 1,600 of
theirs are shared with the owner through 50 groups. A request is a whole one, called through its
WSGI handler without a socket, with a token, rights, count and 100 models; all else are pages or
counts alone. Plain Django is the ORM's `visible_to` with offsets and exact counts, and without
making JSON of what it read. Times are by the clock.
"""

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.kit import Figure, django_with_database, in_turn, report, request

MANY, FEW = 1_000_000, 1000
OTHERS, GROUPS, SHARED = 20, 50, 1600
ROUNDS, SLOW_ROUNDS = 31, 3
HOST = "models.platform.localhost"
FOUND = {
    "version": 1, "manifold": True, "triangles": 1000, "open_edges": 0, "nonmanifold_edges": 0,
    "misoriented_edges": 0, "degenerate": 0, "size": [1.0, 2.0, 3.0], "volume": 6.0,
    "bounds": [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]], "surface_area": 22.0, "inverted": False,
}  # fmt: skip

# A model a minute. One in ten is a bracket, one in 300 a gasket, and one a zephyr.
DATA = [
    "SELECT setseed(0.5)",
    """INSERT INTO users_user (uuid, username, password, email, name, address, company, is_active,
           is_staff, is_superuser, is_platform_service, date_joined)
       SELECT uuidv7(), name, '', 'u@example.com', 'User', '', '', true, name = 'root', false,
           false, now()
       FROM unnest(ARRAY['root', 'owner'] || ARRAY(SELECT 'other' || n
           FROM generate_series(0, %(others)s - 1) n)) name""",
    """INSERT INTO users_group (uuid, name, description, created)
       SELECT uuidv7(), 'group' || n, '', now() FROM generate_series(1, %(groups)s) n""",
    """INSERT INTO users_membership (uuid, user_id, group_id, created)
       SELECT uuidv7(), u.uuid, g.uuid, now() FROM users_group g, users_user u
       WHERE username = 'owner'""",
    "INSERT INTO core_blob (sha256, size, created) VALUES (repeat('c', 64), 1000, now())",
    """INSERT INTO warehouse_model (uuid, owner_id, name, type, status, may_resize, may_rotate,
           unit, content_id, canonical_id, picture_id, file_size, analyses, created, updated)
       SELECT k.key, u.uuid,
           CASE WHEN n %% 10 = 3 THEN 'Bracket ' WHEN n %% 300 = 7 THEN 'Gasket ' ELSE 'Part ' END
               || substr(md5(n::text), 1, 8) || '.stl',
           'stl', CASE WHEN n %% 100 = 0 THEN 'error' ELSE 'processed' END, false, false, '',
           repeat('c', 64), repeat('c', 64), repeat('c', 64), 1000 + n, %(found)s,
           uuid_extract_timestamp(k.key),
           uuid_extract_timestamp(k.key) + random() * interval '1 year'
       FROM generate_series(1, %(models)s) n
       CROSS JOIN LATERAL (SELECT uuidv7((n - %(models)s) * interval '1 minute') AS key) k
       JOIN users_user u ON u.username = CASE
           WHEN n %% %(every)s = 0 AND n / %(every)s <= 1000 * %(others)s
           THEN 'other' || n / %(every)s %% %(others)s ELSE 'owner' END""",
    """UPDATE warehouse_model SET name = 'Zephyr.stl' WHERE uuid = (SELECT m.uuid
       FROM warehouse_model m JOIN users_user u ON u.uuid = m.owner_id WHERE username = 'owner'
       ORDER BY m.uuid OFFSET %(own)s / 2 LIMIT 1)""",
    """INSERT INTO users_permission (uuid, holder, namespace, object, "right", holder_uuid,
           object_uuid, created)
       SELECT uuidv7(), %(base)s || h.key || '/', 'models', %(models_base)s || o.uuid || '/',
           'read', h.key, o.uuid, now()
       FROM (SELECT m.uuid, row_number() OVER (ORDER BY random()) AS n FROM warehouse_model m
               JOIN users_user u ON u.uuid = m.owner_id WHERE username LIKE 'other%%'
               LIMIT %(shared)s) o
       JOIN (SELECT uuid AS key, row_number() OVER () - 1 AS n FROM users_group) h
       ON h.n = o.n %% %(groups)s""",
]


class Database(NamedTuple):
    """One of the two, and the requests of its people: `get("owner", "sort=name")`."""

    connection: Any
    users: dict[str, Any]
    get: Callable[[str, str], Any]


def main() -> None:
    with django_with_database() as folder:
        many, few = make(folder, "platform", MANY), make(folder, "few", FEW)
        report("lists", measure(many, few))


def make(folder: Path, name: str, own: int) -> Database:
    """A database with so many models of the owner."""
    from django.core.management import call_command
    from django.db import connections

    from apps.users.models import User
    from apps.users.services.tokens import make_token
    from core.postgres.embedded import EmbeddedPostgres

    EmbeddedPostgres(folder).create_database(name)
    connection = connections.create_connection("default")
    connection.settings_dict = {**connection.settings_dict, "NAME": name}
    connections["default"] = connection
    call_command("migrate", verbosity=0)
    begun = time.perf_counter()
    fill(connection, own)
    print(f"{own:,} models made in {time.perf_counter() - begun:.0f} s")

    users = {user.username: user for user in User.objects.filter(username__in=["owner", "root"])}
    tokens = {
        username: make_token(user=user, actor=user, name="bench")
        for username, user in users.items()
    }
    credentials = {
        username: base64.b64encode(f"{token.uuid}:{token.secret}".encode()).decode()
        for username, token in tokens.items()
    }
    return Database(
        connection, users, lambda who, query: request(HOST, credentials[who], "/model/", query)
    )


def fill(connection: Any, own: int) -> None:
    """The rows, and the statistics that a database has of itself after a while."""
    from core.uris import base_url

    models = own + OTHERS * 1000
    values = {
        "own": own, "others": OTHERS, "models": models, "every": models // (OTHERS * 1000),
        "groups": GROUPS, "shared": SHARED, "found": json.dumps(FOUND),
        "base": f"{base_url('users')}/groups/", "models_base": f"{base_url('models')}/model/",
    }  # fmt: skip
    quoted = {key: f"'{v}'" if isinstance(v, str) else str(v) for key, v in values.items()}
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SET maintenance_work_mem = '256MB'")
        # Each row adds to its owner's bytes, of which one transaction keeps a version a model.
        cursor.execute("ALTER TABLE warehouse_model DISABLE TRIGGER count_bytes")
        # An index is made faster than it is kept.
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'warehouse_model'"
            " AND indexname NOT LIKE '%_pkey'"
        )
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
        for statement in DATA:
            # Not bound by the server, which cannot tell the types of numbers in expressions.
            cursor.execute(statement % quoted if "%(" in statement else statement)
        for _, definition in indexes:
            cursor.execute(definition)
        cursor.execute("ALTER TABLE warehouse_model ENABLE TRIGGER count_bytes")
        cursor.execute("VACUUM ANALYZE")


def measure(many: Database, few: Database) -> list[Figure]:
    figures = requests(many, few)
    figures += pages(many, few)
    return figures


def clocked(jobs: dict[str, tuple[Database, Callable[[], Any]]], rounds: int) -> dict[str, float]:
    """The median of each job's times, ms, taken in turn, each in its own database."""
    from django.db import connections

    def run(database: Database, job: Callable[[], Any]) -> None:
        connections["default"] = database.connection
        job()

    bound = {name: lambda pair=pair: run(*pair) for name, pair in jobs.items()}
    return {name: cost.wall * 1e3 for name, cost in in_turn(bound, rounds=rounds).items()}


def requests(many: Database, few: Database) -> list[Figure]:
    """Whole requests, the owner's and an administrator's."""
    from django.db import connections

    figures = []
    for who in ("owner", "root"):
        connections["default"] = many.connection
        middle = json.loads(many.get(who, f"page[offset]={MANY // 2}"))["links"]["next"]
        onward = urlsplit(middle).query
        took = clocked(
            {
                "first": (many, lambda who=who: many.get(who, "")),
                "few": (few, lambda who=who: few.get(who, "")),
                "middle": (many, lambda who=who, onward=onward: many.get(who, onward)),
                "name": (many, lambda who=who: many.get(who, "sort=name")),
                "few by name": (few, lambda who=who: few.get(who, "sort=name")),
            },
            ROUNDS,
        )
        plain = clocked(
            {
                "first": (many, lambda who=who: plainly(many.users[who])),
                "middle": (many, lambda who=who: plainly(many.users[who], MANY // 2)),
                "name": (many, lambda who=who: plainly(many.users[who], order=("name", "uuid"))),
            },
            SLOW_ROUNDS,
        )
        words = "request" if who == "owner" else "administrator's request"
        figures += [
            Figure(f"{words}, first page", "ms", took["first"], plain["first"], "<= 6"),
            Figure(f"{words}, of 1,000", "ms", took["first"], took["few"], "ratio <= 1.5"),
            Figure(f"{words}, by next in the middle", "ms", took["middle"], plain["middle"]),
            Figure(f"{words}, middle to first", "ms", took["middle"], took["first"], "ratio <= 1"),
            Figure(f"{words}, by name", "ms", took["name"], plain["name"]),
            Figure(f"{words}, by name, of 1,000", "ms", took["name"], took["few by name"],
                   "ratio <= 1.5"),
        ]  # fmt: skip
    return figures


def plainly(user: Any, offset: int = 0, order: tuple[str, ...] = ("-uuid",), **asked: Any) -> int:
    """A page and its exact count as one writes them first."""
    from apps.warehouse.models import Model

    rows = Model.objects.visible_to(user).filter(**asked)
    return rows.count() + len(rows.order_by(*order)[offset : offset + 100])


def pages(many: Database, few: Database) -> list[Figure]:
    """Pages and counts alone, of the owner."""
    from apps.warehouse.queries import readable_models
    from apps.warehouse.views.models import named
    from core.api.lists.list_counts import COUNT_CAP

    def page(user: Any, *, offset: int = 0, order: tuple[str, ...] = ("-uuid",), name: str = ""):
        rows = readable_models(user).order_by(*order)
        rows = rows.filter(named(name)) if name else rows
        return list(rows[offset : offset + 101])

    def count(user: Any) -> None:
        rows = readable_models(user)
        if rows[: COUNT_CAP + 1].count() > COUNT_CAP:
            rows.estimate()

    user, other = many.users["owner"], few.users["owner"]
    contains = {
        "rare": ("zephyr", "<= 5"), "common": ("bracket", "<= 5"), "absent": ("absent", "<= 5"),
        "middling": ("gasket", "<= 40"), "of two letters": ("zq", "<= 20"),
    }  # fmt: skip
    sorts = {"name": "name", "status": "status", "updated": "updated", "created": "uuid"}
    jobs: dict[str, tuple[Database, Callable[[], Any]]] = {
        "page": (many, lambda: page(user)),
        "count": (many, lambda: count(user)),
        "far": (many, lambda: page(user, offset=MANY // 2)),
        "last": (many, lambda: page(user, offset=MANY + SHARED - 100)),
    }
    for kind, (word, _) in contains.items():
        jobs[kind] = many, lambda word=word: page(user, name=word)
    for name, column in sorts.items():
        for sign in ("", "-"):
            order = tuple(dict.fromkeys((sign + column, sign + "uuid")))
            jobs[f"{sign}{name}"] = many, lambda order=order: page(user, order=order)
            jobs[f"few {sign}{name}"] = few, lambda order=order: page(other, order=order)
    took = clocked(jobs, ROUNDS)
    plain = clocked(
        {
            "page": (many, lambda: page_plainly(user)),
            "count": (many, lambda: count_plainly(user)),
            "far": (many, lambda: page_plainly(user, offset=MANY // 2)),
            "last": (many, lambda: page_plainly(user, offset=MANY + SHARED - 100)),
            **{
                kind: (many, lambda word=word: page_plainly(user, name__icontains=word))
                for kind, (word, _) in contains.items()
            },
        },
        SLOW_ROUNDS,
    )
    figures = [
        Figure("page of own and 1,600 shared", "ms", took["page"], plain["page"], "<= 4"),
        Figure("count", "ms", took["count"], plain["count"], "<= 1"),
        Figure("page at offset 500,000", "ms", took["far"], plain["far"], "<= 150"),
        Figure("page at the last offset", "ms", took["last"], plain["last"], "<= 150"),
    ]
    for kind, (_, goal) in contains.items():
        figures.append(Figure(f"name, {kind}", "ms", took[kind], plain[kind], goal))
    for name in [sign + name for name in sorts for sign in ("", "-")]:
        beside = took[f"few {name}"]
        figures.append(Figure(f"sort={name}, of 1,000", "ms", took[name], beside, "ratio <= 1.5"))
    return figures


def page_plainly(user: Any, *, offset: int = 0, **asked: Any) -> int:
    from apps.warehouse.models import Model

    rows = Model.objects.visible_to(user).filter(**asked).order_by("-uuid")
    return len(rows[offset : offset + 101])


def count_plainly(user: Any) -> int:
    from apps.warehouse.models import Model

    return Model.objects.visible_to(user).count()


if __name__ == "__main__":
    main()
