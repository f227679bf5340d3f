"""Candidate retrieval: nearest descriptors among the models the caller may read.

The caller's rights are conditions of each statement, so that hidden models do not use up places
among the nearest. The search is over distinct contents, not models: a file of a thousand models
counts once.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from pgvector import HalfVector

from apps.search.models import IndexedModel
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from geometry.similarity import DESCRIPTOR_VERSION, Description

# Visible models are looked at one by one, so that none is missed, where they are at most so many or
# at most this share of all descriptors: more cost more than the index, which finds few among few.
FEW, SHARE = 4_000.0, 0.025
ALL = 1e18  # the same for all of them, however many
READ = 1600  # so many of the nearest are read of the index, then those of them that are visible
# Principal radii and area ratio of copies agree to 2e-5; the absolute part is for flat parts.
AGREES, NOISE = 1e-3, 1e-6
ALIKE = 60  # contents with equal radii and area that are looked at, the nearest first
NOTHING = UUID(int=0)

# Models that may be results, as a SELECT of `sha256`, `key` and `uri`, one of which is null.
# Indexed ones that the warehouse has; takes the status, the reader's key where they
# do not read everything, and the key of the searched model.
_OURS = (
    "SELECT i.content_hash AS sha256, i.model_uuid AS key, NULL AS uri FROM search_indexedmodel i"
    " JOIN {readable} r ON r.key = i.model_uuid"
    " WHERE i.deleted IS NULL AND i.status = %s AND i.model_uuid <> %s"
)
# The same for all of them: looking up a sorted array costs half of joining.
_OURS_LISTED = (
    "SELECT i.content_hash AS sha256, i.model_uuid AS key, NULL AS uri FROM search_indexedmodel i"
    " WHERE i.model_uuid = ANY (ARRAY(SELECT r.key FROM {readable} r))"
    " AND i.deleted IS NULL AND i.status = %s AND i.model_uuid <> %s"
)
# Those of other servers, which only who indexed them may read; takes the status, and the
# searched model's URI.
_FOREIGN = (
    "SELECT i.content_hash, NULL::uuid, i.model_uri FROM search_indexedmodel i"
    " WHERE i.model_uuid IS NULL AND i.deleted IS NULL AND i.status = %s AND i.model_uri <> %s"
)
# All models of the warehouse; takes the reader's key as above, and the searched one's.
_READABLE = (
    "SELECT r.sha256, r.key, NULL AS uri FROM {readable} r"
    " WHERE r.sha256 IS NOT NULL AND r.key <> %s"
)

_COLUMNS = "d.content_hash, d.vector <+> %s::halfvec(324) AS l1, d.rms, d.diagonal"
# Without the index of vectors: the sum keeps the planner from it.
_IN_ORDER = "ORDER BY (d.vector <+> %s::halfvec(324)) + 0 LIMIT %s"
# Whether so few are visible that each is looked at, and the nearest of them if so. What is counted
# first costs little, and keeps the rest from being begun where it is too many.
_ONE_BY_ONE = (
    "WITH bound AS MATERIALIZED (SELECT greatest(%s, %s * reltuples)::bigint AS models"  # noqa: S608
    " FROM pg_class WHERE oid = 'search_descriptor'::regclass),"
    " counted AS MATERIALIZED (SELECT count(*) AS models"
    " FROM ({counted} LIMIT (SELECT models + 1 FROM bound)) c),"
    " visible AS MATERIALIZED (SELECT f.sha256 FROM ({found}) f"
    " WHERE (SELECT c.models <= b.models FROM counted c, bound b)"
    " LIMIT (SELECT models + 1 FROM bound)),"
    " judged AS MATERIALIZED (SELECT c.models <= b.models"
    " AND (SELECT count(*) FROM visible) <= b.models AS few FROM counted c, bound b)"
    f" SELECT judged.few, near.* FROM judged LEFT JOIN LATERAL (SELECT {_COLUMNS}"
    " FROM search_descriptor d WHERE judged.few AND d.version = %s"
    f" AND d.content_hash = ANY (ARRAY(SELECT sha256 FROM visible)) {_IN_ORDER}) near ON true"
)
# OFFSET 0 keeps the planner from joining: each neighbour is asked for in its order.
_VISIBLE = "EXISTS (SELECT 1 FROM ({found}) f WHERE f.sha256 = d.content_hash OFFSET 0)"
# By the index: the bare operator and a LIMIT. They come in about their order, and are asked for in
# their order whether they are visible: no more of them than it takes. The sum, which changes
# nothing, has them sorted.
_NEAREST = (
    "SELECT d.* FROM (SELECT * FROM ("  # noqa: S608
    f"SELECT {_COLUMNS} FROM search_descriptor d WHERE d.version = %s"
    " ORDER BY d.vector <+> %s::halfvec(324) LIMIT %s OFFSET 0) found ORDER BY l1 + 0 OFFSET 0) d"
    f" WHERE {_VISIBLE} LIMIT %s"
)
# Nothing but the index may order what is read of it; the one sort that there is has no other way.
_BY_INDEX = (
    "SET LOCAL hnsw.ef_search = 800; SET LOCAL hnsw.iterative_scan = relaxed_order;"
    " SET LOCAL hnsw.max_scan_tuples = 20000; SET LOCAL enable_sort = off"
)
_ALIKE = (
    f"SELECT {_COLUMNS} FROM search_descriptor d WHERE d.version = %s"  # noqa: S608
    " AND d.radius_major BETWEEN %s AND %s AND d.radius_middle BETWEEN %s AND %s"
    " AND d.radius_minor BETWEEN %s AND %s AND d.area_ratio BETWEEN %s AND %s"
    f" AND {_VISIBLE} {_IN_ORDER}"
)
_MODELS = (
    "SELECT sha256, key, uri FROM (SELECT sha256, key, uri,"
    " row_number() OVER (PARTITION BY sha256 ORDER BY key, uri) AS place"
    " FROM (SELECT DISTINCT f.sha256, f.key, f.uri FROM ({found}) f WHERE f.sha256 = ANY(%s)) u) n"
    " WHERE place <= %s"
)


class Candidate(NamedTuple):
    """A stored content that may be similar.

    l1 : distance of the descriptors
    rms, diagonal : mm
    """

    sha256: str
    l1: float
    rms: float
    diagonal: float


@dataclass(frozen=True)
class Reach:
    """Scope of a search: the caller, the model, and whether only indexed models are included."""

    user: Person
    uri: str
    key: UUID | None
    indexed_only: bool

    def sql(self, *, listed: bool = False) -> tuple[str, tuple[Any, ...]]:
        """Return a SELECT of the models that may be results, and its parameters.

        listed : for a statement over all of them, not over a few
        """
        readable, given = self._readable(listed=listed)
        complete, own = IndexedModel.Status.COMPLETE, self.key or NOTHING
        theirs = self.user.is_staff
        foreign = _FOREIGN if theirs else f"{_FOREIGN} AND i.owner_id = %s"
        foreign_given = (complete, self.uri, *(() if theirs else (self.user.pk,)))
        if self.indexed_only:
            joined = _OURS_LISTED if listed and given else _OURS
            ours, ours_given = joined.format(readable=readable), (*given, complete, own)
        else:
            ours, ours_given = _READABLE.format(readable=readable), (*given, own)
        return f"{ours} UNION ALL {foreign}", (*ours_given, *foreign_given)

    def counted(self) -> tuple[str, tuple[Any, ...]]:
        """Return a cheap SELECT of the approximate number of rows in `sql`, and its parameters."""
        readable, given = self._readable(listed=True)
        if not self.indexed_only:
            return f"SELECT FROM {readable}", given
        whose = " AND i.owner_id = %s" if given else ""
        return f"SELECT FROM search_indexedmodel i WHERE i.deleted IS NULL{whose}", given  # noqa: S608

    def _readable(self, *, listed: bool) -> tuple[str, tuple[Any, ...]]:
        """The warehouse's function for what the caller reads, and its values, if it takes any."""
        if warehouse.reads_all(self.user):
            return "warehouse_kept()", ()
        return f"warehouse_readable{'_list' if listed else ''}(%s)", (self.user.pk,)


def nearest(wanted: Description, reach: Reach, most: int) -> list[Candidate]:
    """The contents with the nearest descriptors, at most so many."""
    few, found = _one_by_one(wanted, reach, most, FEW)
    if not few:
        found = _by_index(wanted, reach, most)
        if len(found) < most:  # few of the nearest are visible
            _, found = _one_by_one(wanted, reach, most, ALL)
    return found


def _one_by_one(
    wanted: Description, reach: Reach, most: int, few: float
) -> tuple[bool, list[Candidate]]:
    """Whether few enough are visible for each to be looked at, and then the nearest of them."""
    vector = HalfVector(wanted.vector).to_text()
    counted, counted_given = reach.counted()
    found, given = reach.sql(listed=True)
    bound = (few, SHARE, *counted_given, *given)
    statement = _ONE_BY_ONE.format(counted=counted, found=found)
    rows = _ask(statement, (*bound, vector, DESCRIPTOR_VERSION, vector, most))
    return rows[0][0], [Candidate(*row) for _, *row in rows if row[0]]


def _by_index(wanted: Description, reach: Reach, most: int) -> list[Candidate]:
    """The nearest that the index finds; it may miss some."""
    vector = HalfVector(wanted.vector).to_text()
    found, given = reach.sql()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_BY_INDEX)
        values = (vector, DESCRIPTOR_VERSION, vector, READ, *given, most)
        rows = _ask(_NEAREST.format(found=found), values)
    return [Candidate(*row) for row in rows]


def alike(wanted: Description, reach: Reach) -> list[Candidate]:
    """The contents with equal principal radii and area: among them is whatever is identical."""
    found, given = reach.sql()
    box = [
        bound
        for value in (*wanted.radii, wanted.area_ratio)
        for bound in (value * (1 - AGREES) - NOISE, value * (1 + AGREES) + NOISE)
    ]
    vector = HalfVector(wanted.vector).to_text()
    values = (vector, DESCRIPTOR_VERSION, *box, *given, vector, ALIKE)
    return [Candidate(*row) for row in _ask(_ALIKE.format(found=found), values)]


def models_of(hashes: list[str], reach: Reach, most: int) -> dict[str, list[str]]:
    """The URIs of the models that have these contents, by hash; at most so many of each."""
    found, given = reach.sql()
    models: dict[str, list[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_MODELS.format(found=found), (*given, hashes, most))
        for sha256, key, uri in cursor.fetchall():
            models.setdefault(sha256, []).append(uri or warehouse.uri_of(key))
    return {sha256: sorted(uris) for sha256, uris in models.items()}


def _ask(statement: str, values: tuple[Any, ...]) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()
