"""Finds the stored contents that may be of a shape, among what the caller may read.

The caller's rights are conditions of each statement, so that what is hidden takes no place among
the nearest. Contents are asked for, not models: a file that a thousand models have is one of them.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from pgvector import HalfVector

from apps.search.models import IndexedModel
from apps.warehouse import interface as warehouse
from core.owned import reads_everything
from geometry.similarity import DESCRIPTOR_VERSION, Description

# So many visible rows at most are looked at one by one, and none is missed: joining them costs
# more than their distances do. The index misses some where few of its neighbours are visible.
SCANNED = 10_000
EXPLORED = 200  # how many neighbours the index looks at, at least
# Principal radii of copies agree to 2e-5; the absolute part is for flat parts.
RADII_AGREE, RADII_NOISE = 1e-3, 1e-6
ALIKE = 60  # contents with equal radii that are looked at, the nearest first
NOTHING = UUID(int=0)

# Models that may be results, as a SELECT of `sha256`, `key` and `uri`, one of which is null.
# Indexed ones that the warehouse has; takes the status, the readable models' values, and the key
# of the searched model.
_OURS = (
    "SELECT i.content_hash AS sha256, i.model_uuid AS key, NULL AS uri FROM search_indexedmodel i"
    " JOIN ({readable}) r ON r.key = i.model_uuid"
    " WHERE i.deleted IS NULL AND i.status = %s AND i.model_uuid <> %s"
)
# Those of other servers, which only who indexed them may read; takes the status, and the
# searched model's URI.
_FOREIGN = (
    "SELECT i.content_hash, NULL::uuid, i.model_uri FROM search_indexedmodel i"
    " WHERE i.model_uuid IS NULL AND i.deleted IS NULL AND i.status = %s AND i.model_uri <> %s"
)
# All models of the warehouse; takes the readable models' values, and the searched one's key.
_READABLE = (
    "SELECT r.sha256, r.key, NULL AS uri FROM ({readable}) r"
    " WHERE r.sha256 IS NOT NULL AND r.key <> %s"
)

# OFFSET 0 keeps the planner from joining: each neighbour is asked for in its order.
_VISIBLE = "EXISTS (SELECT 1 FROM ({found}) f WHERE f.sha256 = d.content_hash OFFSET 0)"
_COLUMNS = "d.content_hash, d.vector <+> %s::halfvec(324), d.rms, d.diagonal"
# By the index: the bare operator and a LIMIT.
_NEAREST = (
    f"SELECT {_COLUMNS} FROM search_descriptor d WHERE d.version = %s AND {_VISIBLE}"  # noqa: S608
    " ORDER BY d.vector <+> %s::halfvec(324) LIMIT %s"
)
# Without it: the sum keeps the planner from it.
_SCANNED = (
    f"SELECT {_COLUMNS} FROM search_descriptor d"  # noqa: S608
    " JOIN (SELECT DISTINCT sha256 FROM ({found}) f) v ON v.sha256 = d.content_hash"
    " WHERE d.version = %s ORDER BY (d.vector <+> %s::halfvec(324)) + 0 LIMIT %s"
)
_ALIKE = (
    f"SELECT {_COLUMNS} FROM search_descriptor d WHERE d.version = %s"  # noqa: S608
    " AND d.radius_major BETWEEN %s AND %s AND d.radius_middle BETWEEN %s AND %s"
    f" AND d.radius_minor BETWEEN %s AND %s AND {_VISIBLE} ORDER BY 2 LIMIT %s"
)
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM ({found}) f LIMIT %s) c"
_MODELS = (
    "SELECT sha256, key, uri FROM (SELECT sha256, key, uri,"
    " row_number() OVER (PARTITION BY sha256 ORDER BY key, uri) AS place"
    " FROM (SELECT DISTINCT f.sha256, f.key, f.uri FROM ({found}) f WHERE f.sha256 = ANY(%s)) u) n"
    " WHERE place <= %s"
)
_STORED = "SELECT reltuples FROM pg_class WHERE oid = 'search_descriptor'::regclass"
_BY_INDEX = (
    "SELECT set_config('hnsw.ef_search', %s, true),"
    " set_config('hnsw.iterative_scan', 'strict_order', true),"
    " set_config('hnsw.max_scan_tuples', '20000', true),"
    " set_config('enable_sort', 'off', true)"  # whatever the planner thinks of the filter's cost
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
    """Who searches, for which model, and whether among indexed models only."""

    user: Any
    uri: str
    key: UUID | None
    indexed_only: bool

    def sql(self) -> tuple[str, tuple[Any, ...]]:
        """The models that may be results: a SELECT, and its values."""
        everything = reads_everything(self.user)
        readable = warehouse.KEPT_SQL if everything else warehouse.READABLE_SQL
        given = () if everything else warehouse.readable(user=self.user)
        complete, own = IndexedModel.Status.COMPLETE, self.key or NOTHING
        foreign = _FOREIGN if everything else f"{_FOREIGN} AND i.owner_id = %s"
        foreign_given = (complete, self.uri, *(() if everything else (self.user.pk,)))
        if self.indexed_only:
            ours, ours_given = _OURS.format(readable=readable), (*given, complete, own)
        else:
            ours, ours_given = _READABLE.format(readable=readable), (*given, own)
        return f"{ours} UNION ALL {foreign}", (*ours_given, *foreign_given)


def nearest(wanted: Description, reach: Reach, most: int) -> list[Candidate]:
    """The contents with the nearest descriptors, at most so many."""
    found, given = reach.sql()
    vector = HalfVector(wanted.vector).to_text()
    if _scans(reach, found, given):
        values = (vector, *given, DESCRIPTOR_VERSION, vector, most)
        return _ask(_SCANNED.format(found=found), values)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_BY_INDEX, (str(max(EXPLORED, most)),))
        values = (vector, DESCRIPTOR_VERSION, *given, vector, most)
        return _ask(_NEAREST.format(found=found), values)


def alike(wanted: Description, reach: Reach) -> list[Candidate]:
    """The contents with equal principal radii: among them is whatever is identical."""
    found, given = reach.sql()
    box = [
        bound
        for radius in wanted.radii
        for bound in (
            radius * (1 - RADII_AGREE) - RADII_NOISE,
            radius * (1 + RADII_AGREE) + RADII_NOISE,
        )
    ]
    vector = HalfVector(wanted.vector).to_text()
    values = (vector, DESCRIPTOR_VERSION, *box, *given, ALIKE)
    return _ask(_ALIKE.format(found=found), values)


def models_of(hashes: list[str], reach: Reach, most: int) -> dict[str, list[str]]:
    """The URIs of the models that have these contents, by hash; at most so many of each."""
    found, given = reach.sql()
    models: dict[str, list[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_MODELS.format(found=found), (*given, hashes, most))
        for sha256, key, uri in cursor.fetchall():
            models.setdefault(sha256, []).append(uri or warehouse.uri_of(key))
    return {sha256: sorted(uris) for sha256, uris in models.items()}


def _scans(reach: Reach, found: str, given: tuple[Any, ...]) -> bool:
    """Whether few enough are visible to look at each."""
    with connection.cursor() as cursor:
        cursor.execute(_STORED)
        (stored,) = cursor.fetchone()
        if 0 <= stored <= SCANNED:
            return True
        cursor.execute(_COUNT.format(found=found), (*given, SCANNED + 1))
        (visible,) = cursor.fetchone()
    return visible <= SCANNED


def _ask(statement: str, values: tuple[Any, ...]) -> list[Candidate]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [Candidate._make(row) for row in cursor.fetchall()]
