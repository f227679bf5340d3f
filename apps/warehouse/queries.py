"""SQL of the model list and detail.

Compared with the ORM's answer in tests/warehouse/test_queries.py.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from uuid import UUID

import orjson
from django.db import connection
from django.db.models import Exists, OuterRef, Q

from apps.warehouse.models import Label, Model, ModelVersion
from core.api.lists.union_queries import Sql, UnionQuery, ask, where
from core.api.openapi.response_types import CallbackAnswer, FreeJson
from core.auth_user import Person
from core.uris import build_uri


class ModelRow(NamedTuple):
    """A model as it is read: plain values, without an ORM object around them."""

    uuid: UUID
    owner_id: UUID
    name: str
    type: str
    status: str
    errors: list[Any] | None
    may_resize: bool
    may_rotate: bool
    unit: str
    created: Any
    updated: Any
    content_id: str | None
    file_size: int | None
    analyses: FreeJson | None
    printability: FreeJson | None
    picture_id: str | None
    small_picture_id: str | None
    transformations: list[Any] | None
    conversion: FreeJson | None
    source: FreeJson | None
    parent_keys: list[UUID]
    child_keys: list[UUID]
    callback: CallbackAnswer | None


_BESIDE = ("parent_keys", "child_keys", "callback")
_OWN = tuple(name for name in ModelRow._fields if name not in _BESIDE)
_STORED_JSON = (
    "errors",
    "analyses",
    "printability",
    "transformations",
    "conversion",
    "source",
    "callback",
)
_JSON = tuple(ModelRow._fields.index(name) for name in _STORED_JSON)
# Who asks, whether they read every model, and where models are: the values of `_asking`, with which
# each statement begins. Written once, since to send a value takes longer than to use it.
_ME = "(VALUES (%s::uuid, %s::boolean, %s::text)) AS me (key, reads_all, models)"
# Of its family a model names what is there and what the caller reads.
# A right on one model is looked for by its key, of all models they are collected.
_HELD = "users_held(%s, 'models', 'read')"
_HELD_ON = (
    "EXISTS (SELECT 1 FROM users_held(me.key, 'models', 'read') AS held(key)"
    " WHERE held.key = {key})"
)
_READ_TOO = f"(me.reads_all OR k.owner_id = me.key OR {_HELD_ON.format(key='k.uuid')})"
# A question for each relative, and no join: wrong statistics, as after many rows at once, made of
# that a walk through all models for each.
_RELATIVES = (
    "ARRAY(SELECT f.{theirs} FROM warehouse_model_parents f"  # noqa: S608
    " WHERE f.{own} = m.uuid AND (SELECT k.deleted IS NULL AND "
    f"{_READ_TOO} FROM warehouse_model k WHERE k.uuid = f.{{theirs}}))"
)
_PARENTS = _RELATIVES.format(own="from_model_id", theirs="to_model_id")
_CHILDREN = _RELATIVES.format(own="to_model_id", theirs="from_model_id")
# Its owner reads the callback that was given with it.
_CALLBACK = (
    "CASE WHEN m.owner_id = me.key"
    " THEN (SELECT * FROM callbacks_given(me.models || m.uuid || '/', me.key)) END"
)
_COLUMNS = f"SELECT {', '.join(f'm.{name}' for name in _OWN)}, {_PARENTS}, {_CHILDREN}, {_CALLBACK}"
_SELECT = (
    f"{_COLUMNS} FROM {_ME}, warehouse_model m"  # noqa: S608
    " WHERE m.uuid = %s AND m.deleted IS NULL"
)
# The right is asked for only where the caller is not the owner.
_READABLE = f"{_SELECT} AND (m.owner_id = me.key OR {_HELD_ON.format(key='m.uuid')})"
# Of the keys of a page, in their order.
_PAGE = (
    f"{_COLUMNS} FROM {_ME},"  # noqa: S608
    " (SELECT uuid, row_number() OVER () AS place FROM ({}) AS keys) AS page"
    " JOIN warehouse_model m ON m.uuid = page.uuid ORDER BY page.place"
)
# The key after which to read, the one beyond which none is, and how many. Of what is shared only
# that is looked for which comes among a page of one's own.
_ASKED = "(VALUES (%s::uuid, %s::uuid, %s::bigint)) AS asked (place, last, most)"
_NEWEST = (
    f"{_COLUMNS.replace('SELECT', 'SELECT page.key,', 1)} FROM {_ME}, {_ASKED}, LATERAL ("  # noqa: S608
    "WITH own AS (SELECT o.uuid AS key FROM warehouse_model o WHERE o.owner_id = me.key"
    " AND o.deleted IS NULL AND o.uuid < asked.place ORDER BY o.uuid DESC LIMIT asked.most)"
    " SELECT own.key FROM own UNION SELECT held.key FROM (SELECT coalesce((SELECT own.key FROM own"
    " ORDER BY own.key DESC LIMIT 1 OFFSET asked.most - 1), asked.last)) AS until(key), LATERAL"
    " users_held_before(me.key, 'models', 'read', asked.place, asked.most, until.key) AS held(key)"
    " ORDER BY key DESC LIMIT asked.most) AS page"
    " LEFT JOIN warehouse_model m ON m.uuid = page.key AND m.deleted IS NULL"
    " ORDER BY page.key DESC"
)
_OLDEST = (
    _NEWEST.replace(" < asked.", " > asked.").replace(" DESC", "").replace("_before", "_after")
)
FIRST, LAST = UUID(int=0), UUID(int=2**128 - 1)

# So many models are looked through for a name before the index of pieces is asked, which collects
# all that have it before it gives the first: names that many bear are found sooner without it.
WALK = 5000
_WALK = (
    "SELECT uuid, walked FROM (SELECT uuid, name, row_number() OVER () AS walked FROM ("  # noqa: S608
    "SELECT uuid, name FROM {kept} ORDER BY {order} LIMIT {walk}"
    ") AS newest) AS warehouse_model WHERE {named} OR walked = {walk} LIMIT {most}"
)
DAY = 86_400_000  # ms
# How many letters a piece has in each of the indexes, as in the migrations that make them.
_PIECES = {3: "warehouse_pieces", 2: "warehouse_pairs"}


def read_model(uuid: UUID, user: Person) -> ModelRow | None:
    """The model, if `user` may read it: one statement."""
    with connection.cursor() as cursor:
        if Model.is_all_read_by(user):
            cursor.execute(_SELECT, (*_asking(user), uuid))
        else:
            cursor.execute(_READABLE, (*_asking(user), uuid))
        found = cursor.fetchone()
    return _row(found) if found else None


def readable_models(user: Person) -> "Readable":
    """The models that `user` may read; to be filtered, ordered and sliced, and read as rows."""
    own, others = Sql("owner_id = %s", (user.pk,)), Sql("owner_id <> %s", (user.pk,))
    shared = Sql(f"uuid IN (SELECT * FROM {_HELD})", (user.pk,)) & others  # noqa: S608
    branches = (Sql("true"),) if Model.is_all_read_by(user) else (own, shared)
    return Readable(Model.objects.filter(deleted=None), branches, user=user)


@dataclass(frozen=True, kw_only=True)
class Readable(UnionQuery):
    """One's own models, and those shared with one; iterating gives a ModelRow each."""

    user: Person

    def filter(self, condition: Q | None = None, **lookups: Any) -> Self:
        """Filter; `parents__in` matches children of those of these models that `user` may read.

        Folders and tags (`labels__`) are those of `user`; `is_newest_version__in` compares with the
        versions that `user` may read.
        """
        leaves = _leaves((condition or Q()) & Q(**lookups))
        return super().filter(Q(*map(self._own, leaves)))

    def _own(self, leaf: object) -> object:
        """A condition as it is for `user`."""
        if isinstance(leaf, tuple) and leaf[0] == "parents__in":
            return self._children(leaf[1])
        if isinstance(leaf, tuple) and leaf[0] == "is_newest_version__in":
            return self._newest(set(leaf[1]))
        if _is_of_labels(leaf):
            of_labels = Model.objects.filter(leaf, labels__owner=self.user)
            return Q(uuid__in=of_labels.values("uuid"))
        return leaf

    def count_values(self, field: str) -> dict[str, int]:
        """Return how many models `user` has in each folder, or with each tag: `labels__tags`."""
        models = Model.objects.visible_to(self.user).filter(self.conditions)
        labels = Label.objects.visible_to(self.user).filter(model__in=models.values("uuid"))
        return labels.count_values(field.removeprefix("labels__"))

    def _children(self, keys: list[UUID]) -> Q:
        parents = Model.objects.visible_to(self.user).filter(pk__in=keys)
        family = Model.parents.through.objects.filter(to_model__in=parents)
        return Q(uuid__in=family.values("from_model"))

    def _newest(self, wanted: set[bool]) -> Q:
        newer = ModelVersion.objects.visible_to(self.user).newer()
        replaced = ModelVersion.objects.filter(Exists(newer), model=OuterRef("pk"))
        conditions = {True: ~Q(Exists(replaced)), False: Q(Exists(replaced))}
        return conditions[wanted.pop()] if len(wanted) == 1 else Q()

    def __iter__(self) -> Iterator[ModelRow]:
        if (place := self._place()) and self.stop:
            down = self.order == ("-uuid",)
            statement, last = (_NEWEST, FIRST) if down else (_OLDEST, LAST)
            return iter(_by_key(statement, self.user, place, last, self.stop))
        return super().__iter__()

    def _place(self) -> UUID | None:
        """Return the key after which to read, where the order by key is the only condition."""
        if self.start or Model.is_all_read_by(self.user):
            return None
        match self.order, _leaves(self.conditions):
            case ("-uuid",), []:
                return LAST
            case ("uuid",), []:
                return FIRST
            case (("-uuid",), [("uuid__lt", key)]) | (("uuid",), [("uuid__gt", key)]):
                return UUID(str(key))
        return None

    def read(self, keys: Sql) -> list[ModelRow]:
        values = (*_asking(self.user), *keys.values)
        return [_row(found) for found in ask(Sql(_PAGE.format(keys.text), values))]

    def found(self) -> list[Sql]:
        """By the index of pieces, where it finds few models that have a name."""
        kept = self.kept(self.conditions & _made(self.conditions))
        return [kept & branch for branch in self._sought()]

    def _sought(self) -> tuple[Sql, ...]:
        """Return the branches of the query, or their replacement in a search by name."""
        named, rest = _split(self.conditions)
        pieces = _pieces(named)
        if pieces is None:
            return self.branches
        kept = self.kept(rest & _made(rest)) & self.branches[0]
        sought = where(Model.objects.filter(named))
        text = _WALK.format(
            kept=kept.text, order=self.ordered, walk=WALK, named=sought.text, most=self.most
        )
        found = ask(Sql(text, (*kept.values, *sought.values)))
        if not found or found[-1][1] < WALK:  # all of them, or enough
            keys = "{" + ",".join(str(key) for key, _ in found) + "}"
            own = Sql("uuid = ANY(%s::uuid[])", (keys,))
            others = self.branches[1:]
            if len(found) == self.stop and self.order == ("-uuid",):
                # Of what is shared, older ones cannot be on the page.
                others = tuple(branch & Sql("uuid > %s", (found[-1][0],)) for branch in others)
            return own, *others
        common = len(found) - 1 > WALK // 20  # the last one shows only where the walk ended
        if common:
            return self.branches
        either = " OR ".join(f"({branch.text})" for branch in self.branches)
        given = tuple(value for branch in self.branches for value in branch.values)
        return (Sql(f"({either})", given) & pieces,)


def _by_key(statement: str, user: Person, place: UUID, last: UUID, most: int) -> list[ModelRow]:
    """Return the models that `user` may read on from `place`: the most frequent list.

    A permission may refer to a deleted model; so it may take a second statement.
    """
    found: list[ModelRow] = []
    while True:
        missing = most - len(found)
        with connection.cursor() as cursor:
            cursor.execute(statement, (*_asking(user), place, last, missing))
            rows = cursor.fetchall()
        found += [_row(row[1:]) for row in rows if row[1] is not None]
        if len(rows) < missing or len(found) == most:
            return found
        place = rows[-1][0]


def _asking(user: Person) -> tuple[Any, ...]:
    """The values of `_ME`."""
    return user.pk, Model.is_all_read_by(user), build_uri(Model.SERVICE, "model-list")


def _leaves(conditions: Q) -> list[Any]:
    """What must hold together: pairs of lookup and value, or conditions of another form."""
    plain = conditions.connector == Q.AND and not conditions.negated
    return list(conditions.children) if plain else [conditions]


def _is_of_labels(leaf: object) -> bool:
    """Whether a condition is about folders or tags."""
    if isinstance(leaf, Q):
        return any(map(_is_of_labels, leaf.children))
    return isinstance(leaf, tuple) and leaf[0].startswith("labels__")


def _made(conditions: Q) -> Q:
    """What bounds on `created` say of the key, by which one's models are in order.

    A key is made a little before its row is written: never so long before as a day.
    """
    bounds = Q()
    for leaf in _leaves(conditions):
        if isinstance(leaf, tuple) and re.fullmatch("created__[lg]te?", leaf[0]):
            later = leaf[0].startswith("created__l")
            milliseconds = int(leaf[1].timestamp() * 1000) + (DAY if later else -DAY)
            key = UUID(int=min(max(milliseconds, 0), 2**48 - 1) << 80)
            bounds &= Q(uuid__lt=key) if later else Q(uuid__gte=key)
    return bounds


def _split(conditions: Q) -> tuple[Q, Q]:
    """Separate a name pattern from the other filters."""
    named, others = Q(), Q()
    for leaf in _leaves(conditions):
        if isinstance(leaf, tuple) and leaf[0] == "name__like":
            named &= Q(leaf)
        else:
            others &= Q(leaf)
    return named, others


def _pieces(named: Q) -> Sql | None:
    """That a name has the pieces of all patterns; None where they are too short to have any."""
    literals = [
        re.sub(r"\\(.)", r"\1", run)
        for _, pattern in _leaves(named)
        for run in re.findall(r"(?:\\.|[^\\%_])+", pattern)
    ]
    for letters, pieces in _PIECES.items():
        if long := [literal for literal in literals if len(literal) >= letters]:
            sought = " || ".join([f"{pieces}(lower(%s))"] * len(long))
            return Sql(f"{pieces}(lower(name)) @> ({sought})", tuple(long))
    return None


def _row(found: tuple[Any, ...]) -> ModelRow:
    values = list(found)
    for at in _JSON:  # a cursor gives JSON as text
        if isinstance(text := values[at], str):
            values[at] = orjson.loads(text)
    return ModelRow._make(values)


def row_of(model: Model) -> ModelRow:
    """A model that was made just now, and so has no family yet."""
    return ModelRow._make([*(getattr(model, name) for name in _OWN), [], [], None])
