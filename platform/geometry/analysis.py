"""Is a mesh closed, and how large is it? One pass over the file, no vertex table.

Two corners are one vertex if their 96 bits agree. Each corner is hashed to 64 bits, each
half-edge to the sum of its two hashes with the direction in the lowest bit, and one sort brings
the facets of an edge together: the mesh is manifold if and only if the sorted keys come in pairs
(k, k + 1). With 64 random bits the chance that two edges collide is 1e-7 at a million triangles.
"""

import os
import secrets
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import area_vectors
from geometry.stl.layout import Layout, inspect
from geometry.stl.reader import MAX_TRIANGLES, stream_facets
from geometry.stl.writer import BinaryWriter

ANALYSIS_VERSION = 1

WELD_TOLERANCE = 1e-6  # of the bounding box's diagonal
WELD_PAIRS = 1 << 24  # more near vertices than this are no cracks of float noise
PAIRS_A_BLOCK = 1 << 15

ONE = np.uint64(1)
DIRECTIONLESS = ~ONE
# Odd constants with their bits well spread, as in the finalisers of common hash functions.
MIX_XY = np.uint64(0x9E3779B97F4A7C15)
MIX_Z = np.uint64(0xC2B2AE3D27D4EB4F)
MIX_LAST = np.uint64(0xD6E8FEB86659FD93)
HALF_WORD = np.uint64(32)


class Analysis(NamedTuple):
    """What is known of a model. Lengths in mm; None where a figure has no meaning.

    version           : of this analysis, so that old results can be told from new ones
    triangles         : facets in the file, degenerate ones among them
    manifold          : every edge joins two facets that run along it in opposite directions
    open_edges        : edges of one facet
    nonmanifold_edges : edges of three facets and more
    misoriented_edges : edges of two facets that run along it in the same direction
    degenerate        : facets with two equal corners; all other figures leave them out
    size, bounds      : (x, y, z); (lowest, highest) corner of the box
    surface_area      : mm^2
    volume            : mm^3, None unless the surface is closed and consistently oriented
    inverted          : the facets are inside out; None as for `volume`
    """

    version: int
    triangles: int
    manifold: bool
    open_edges: int
    nonmanifold_edges: int
    misoriented_edges: int
    degenerate: int
    size: tuple[float, float, float]
    bounds: tuple[tuple[float, float, float], tuple[float, float, float]]
    surface_area: float
    volume: float | None
    inverted: bool | None


def analyse(
    path: str | os.PathLike,
    canonical: str | os.PathLike | None = None,
    *,
    max_triangles: int = MAX_TRIANGLES,
) -> Analysis:
    """Judge an STL file; with `canonical`, also write it there as canonical binary STL.

    An exact weld decides. If it leaves open edges, their vertices (and no others) are welded
    within 1e-6 of the diagonal, and the mesh is judged anew: many programs export cracks of float
    noise. The canonical file holds the mesh that was judged: without degenerate facets, welded
    where that was needed, oriented as uploaded.

    Raises InvalidMesh as `geometry.stl.read_triangles` does; then no canonical file is left.
    """
    layout = inspect(path, max_triangles=max_triangles)
    salt = np.uint64(secrets.randbits(64))  # so that nobody can prepare colliding corners
    survey = _survey(layout, canonical, salt, None)
    if len(survey.edges.open):
        weld = _weld_cracks(layout, survey, salt)
        if weld is not None:
            survey = _survey(layout, canonical, salt, weld)
    return _result(survey)


class _Weld(NamedTuple):
    """Vertices that are moved onto another: hashes (sorted), and hash and place of the other."""

    moved: NDArray[np.uint64]
    onto: NDArray[np.uint64]
    places: NDArray[np.float32]  # (n, 3)


class _Edges(NamedTuple):
    open: NDArray[np.uint64]  # keys, sorted
    nonmanifold: int
    misoriented: int
    balanced: bool  # as many facets run along each edge in one direction as in the other


class _Survey(NamedTuple):
    triangles: int
    degenerate: int
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    area: float
    volume: float
    edges: _Edges


def _survey(
    layout: Layout, canonical: str | os.PathLike | None, salt: np.uint64, weld: _Weld | None
) -> _Survey:
    """All figures in one pass over the file."""
    keys = np.empty(3 * layout.at_most, dtype=np.uint64)
    kept = degenerate = 0
    area = volume = 0.0
    box, whole_box = _Box(), _Box()
    origin: NDArray[np.float64] | None = None

    with BinaryWriter(canonical) if canonical is not None else nullcontext() as writer:
        for facets in stream_facets(layout):
            hashes = _hash_corners(facets, salt)
            if weld is not None:
                facets, hashes = _apply(weld, facets, hashes)
            proper = (hashes[0] != hashes[1]) & (hashes[1] != hashes[2]) & (hashes[2] != hashes[0])
            if not proper.all():
                whole_box.add(facets)
                degenerate += int(np.count_nonzero(~proper))
                facets, hashes = facets[:, proper], hashes[:, proper]
            count = facets.shape[1]
            if not count:
                continue
            if writer is not None:
                writer.append(facets)
            box.add(facets)
            _half_edges(hashes, out=keys[3 * kept : 3 * (kept + count)].reshape(3, count))
            kept += count

            exact = facets.astype(np.float64)
            if origin is None:
                origin = exact[:3, :1].copy()
            exact -= np.tile(origin, (3, 1))  # near the mesh: digits are not spent on distance
            vectors = area_vectors(exact)
            area += float(np.sqrt((vectors * vectors).sum(axis=0)).sum()) / 2
            # Divergence theorem: six times the volume of each facet's tetrahedron.
            volume += float((exact[:3] * vectors).sum()) / 6

    keys = keys[: 3 * kept]
    keys.sort()
    box = box if kept else whole_box
    return _Survey(
        kept + degenerate, degenerate, box.low, box.high, area, volume, _count_edges(keys)
    )


def _result(survey: _Survey) -> Analysis:
    edges = survey.edges
    sound = survey.degenerate < survey.triangles
    closed = sound and edges.balanced
    x, y, z = (survey.high - survey.low).tolist()
    low, high = survey.low.tolist(), survey.high.tolist()
    return Analysis(
        version=ANALYSIS_VERSION,
        triangles=survey.triangles,
        manifold=closed and not edges.nonmanifold,
        open_edges=len(edges.open),
        nonmanifold_edges=edges.nonmanifold,
        misoriented_edges=edges.misoriented,
        degenerate=survey.degenerate,
        size=(x, y, z),
        bounds=((low[0], low[1], low[2]), (high[0], high[1], high[2])),
        surface_area=survey.area,
        volume=abs(survey.volume) if closed else None,
        inverted=survey.volume < 0 if closed else None,
    )


class _Box:
    """The smallest box around all facets that were added."""

    def __init__(self) -> None:
        self.low = np.full(3, np.inf)
        self.high = np.full(3, -np.inf)

    def add(self, facets: NDArray[np.float32]) -> None:
        """Rows 0, 3 and 6 of (9, k) hold x, and so on."""
        low, high = facets.min(axis=1).reshape(3, 3), facets.max(axis=1).reshape(3, 3)
        self.low = np.minimum(self.low, low.min(axis=0))
        self.high = np.maximum(self.high, high.max(axis=0))


def _hash_corners(facets: NDArray[np.float32], salt: np.uint64) -> NDArray[np.uint64]:
    """(3, k) from (9, k): a hash of each corner's bits."""
    bits = facets.view(np.uint32)
    hashes = bits[0::3].astype(np.uint64)
    hashes <<= HALF_WORD
    hashes |= bits[1::3]
    hashes ^= salt
    hashes *= MIX_XY
    hashes ^= hashes >> HALF_WORD
    hashes ^= bits[2::3] * MIX_Z
    hashes *= MIX_LAST
    hashes ^= hashes >> HALF_WORD
    hashes *= MIX_LAST
    hashes ^= hashes >> HALF_WORD
    return hashes


def _half_edges(hashes: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """(3, k) to (3, k): a key for each side of each facet, alike for both its directions
    but for the lowest bit."""
    for side in range(3):
        start, end = hashes[side], hashes[(side + 1) % 3]
        np.add(start, end, out=out[side])
        out[side] &= DIRECTIONLESS
        out[side] |= start < end


def _count_edges(keys: NDArray[np.uint64]) -> _Edges:
    """What the sorted keys of all half-edges say about the edges."""
    if _come_in_pairs(keys):
        return _Edges(keys[:0], 0, 0, balanced=True)
    edges = keys & DIRECTIONLESS
    first = np.flatnonzero(np.concatenate([[True], edges[1:] != edges[:-1]]))
    facets = np.diff(first, append=len(keys))
    forward = np.add.reduceat(keys & ONE, first).astype(np.int64)
    return _Edges(
        open=edges[first[facets == 1]],
        nonmanifold=int(np.count_nonzero(facets > 2)),
        misoriented=int(np.count_nonzero((facets == 2) & (forward != 1))),
        balanced=bool((2 * forward == facets).all()),
    )


def _come_in_pairs(keys: NDArray[np.uint64]) -> bool:
    """Whether sorted keys read k, k + 1 with an even k, and no such pair occurs twice."""
    if len(keys) % 2:
        return False
    even, odd = keys[0::2], keys[1::2]
    for start in range(0, len(even), PAIRS_A_BLOCK):  # in blocks that stay in the cache
        block = slice(start, start + PAIRS_A_BLOCK)
        if not (even[block] | ONE == odd[block]).all() or (even[block] == odd[block]).any():
            return False
        following = even[start + 1 : start + PAIRS_A_BLOCK + 1]
        if (even[start : start + len(following)] == following).any():
            return False
    return True


def _weld_cracks(layout: Layout, survey: _Survey, salt: np.uint64) -> _Weld | None:
    """Which vertices of open edges lie within the tolerance of another; None if none does."""
    # Imported here: a file without cracks, the common case, is judged before scipy is loaded.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import KDTree

    hashes, places = _open_vertices(layout, survey.edges.open, salt)
    tolerance = WELD_TOLERANCE * float(np.linalg.norm(survey.high - survey.low))
    tree = KDTree(places.astype(np.float64))
    if tree.count_neighbors(tree, tolerance) > 2 * WELD_PAIRS + len(places):
        return None
    pairs = tree.query_pairs(tolerance, output_type="ndarray")
    if not len(pairs):
        return None

    links = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(places), len(places)))
    _, group = connected_components(links, directed=False)
    _, leader = np.unique(group, return_index=True)
    onto = leader[group]
    moved = np.flatnonzero(onto != np.arange(len(places)))
    moved = moved[np.argsort(hashes[moved])]
    return _Weld(hashes[moved], hashes[onto[moved]], places[onto[moved]])


def _open_vertices(
    layout: Layout, open_edges: NDArray[np.uint64], salt: np.uint64
) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Hashes (n,) and places (n, 3) of the vertices of open edges, in the order of the places."""
    found_hashes, found_places = [], []
    for facets in stream_facets(layout):
        hashes = _hash_corners(facets, salt)
        keys = np.empty_like(hashes)
        _half_edges(hashes, out=keys)
        _, is_open = _look_up(open_edges, keys & DIRECTIONLESS)
        is_open |= np.roll(is_open, 1, axis=0)  # the corner at which an open side ends
        for corner in range(3):
            here = is_open[corner]
            found_hashes.append(hashes[corner, here])
            found_places.append(facets[3 * corner : 3 * corner + 3, here].T)
    hashes, index = np.unique(np.concatenate(found_hashes), return_index=True)
    places = np.concatenate(found_places)[index]
    order = np.lexsort(places.T)  # a result that does not depend on the salt
    return hashes[order], places[order]


def _apply(
    weld: _Weld, facets: NDArray[np.float32], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.float32], NDArray[np.uint64]]:
    index, moves = _look_up(weld.moved, hashes)
    facets, hashes = facets.copy(), hashes.copy()
    for corner in range(3):
        here = moves[corner]
        target = index[corner, here]
        facets[3 * corner : 3 * corner + 3, here] = weld.places[target].T
        hashes[corner, here] = weld.onto[target]
    return facets, hashes


def _look_up(
    table: NDArray[np.uint64], values: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each value stands in a sorted table that is not empty, and whether it is there."""
    index = np.minimum(np.searchsorted(table, values), len(table) - 1)
    return index, table[index] == values
