"""Hole filling: boundary loops and the patches that close them."""

from collections import defaultdict
from typing import NamedTuple

import mapbox_earcut
import numpy as np
from numpy.typing import NDArray

from geometry.healing.triangulation import least_area, within_polygon
from geometry.healing.working_mesh import WorkingMesh
from geometry.mesh.half_edges import Edges, edge_keys

FLAT = 2e-4  # of the square root of a loop's area: so far may its corners lie off its plane
PARALLEL = 0.999  # cosine between planes of loops that bound one face
LARGEST_PROGRAMME = 220  # corners; a rougher filling serves more
SAME_AREA = 1e-3


class Rim(NamedTuple):
    """A loop of vertices, in the direction in which the face that fills it runs.

    middle : (3,) the mean of its corners
    area   : (3,) the vector of its area (M. E. Newell)
    """

    loop: NDArray[np.int64]
    middle: NDArray[np.float64]
    area: NDArray[np.float64]

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.area))

    @property
    def normal(self) -> NDArray[np.float64]:
        return self.area / self.size


def fill_holes(surface: WorkingMesh) -> WorkingMesh:
    """Close all loops of open edges.

    Flat ones are triangulated in their plane, a loop within another that runs the other way as
    its hole, so that a missing ring becomes a ring. Of the others each is filled with the least
    area.
    """
    edges = surface.edges
    rims = [_rim(loop, surface.vertices) for loop in _loops(surface, edges)]
    if not rims:
        return surface
    flat = [rim for rim in rims if _is_flat(rim, surface.vertices)]
    faces, fill, anchors = [surface.faces], [surface.fill], [surface.anchors]

    def add(filling: NDArray[np.int64], rim: Rim) -> None:
        faces.append(filling)
        fill.append(np.full(len(filling), sum(len(known) for known in anchors)))
        anchors.append(rim.middle[None])

    done: set[int] = set()
    for group in _nested(flat, surface.vertices):
        filling = _fill_flat(group, surface.vertices)
        if filling is not None:
            add(filling, group[0])
            done.update(id(rim) for rim in group)
    for rim in rims:
        if id(rim) in done:
            continue
        if len(rim.loop) <= LARGEST_PROGRAMME:
            add(rim.loop[least_area(surface.vertices[rim.loop], _taken(rim.loop, edges))], rim)
        else:
            surface = surface.replace(vertices=np.vstack([surface.vertices, rim.middle]))
            apex = np.full(len(rim.loop), len(surface.vertices) - 1)
            add(np.column_stack([rim.loop, np.roll(rim.loop, -1), apex]), rim)
    return surface.replace(
        faces=np.concatenate(faces), fill=np.concatenate(fill), anchors=np.concatenate(anchors)
    )


def _loops(surface: WorkingMesh, edges: Edges) -> list[NDArray[np.int64]]:
    """The rims of holes, each vertex once a loop: at a pinched vertex a loop is cut off.

    A loop over vertices, since each step depends on the one before; only open edges are walked.
    """
    half = edges.order[edges.first[edges.open]]
    starts = surface.faces.reshape(-1)[half]
    ends = np.roll(surface.faces, -1, axis=1).reshape(-1)[half]
    following: dict[int, list[int]] = defaultdict(list)
    for start, end in zip(ends.tolist(), starts.tolist(), strict=True):  # against the faces
        following[start].append(end)
    loops = []
    for begin in list(following):
        path, place = [begin], {begin: 0}
        while following[path[-1]]:
            vertex = following[path[-1]].pop()
            if vertex not in place:
                place[vertex] = len(path)
                path.append(vertex)
                continue
            loop = path[place[vertex] :]
            loops.append(np.array(loop))
            for left in loop[1:]:
                del place[left]
            del path[place[vertex] + 1 :]
    return [loop for loop in loops if len(loop) > 2]


def _rim(loop: NDArray[np.int64], vertices: NDArray[np.float64]) -> Rim:
    corners = vertices[loop]
    middle = corners.mean(axis=0)
    offsets = corners - middle
    area = np.cross(offsets, np.roll(offsets, -1, axis=0)).sum(axis=0) / 2
    return Rim(loop, middle, area)


def _is_flat(rim: Rim, vertices: NDArray[np.float64]) -> bool:
    if rim.size == 0:
        return False
    off = np.abs((vertices[rim.loop] - rim.middle) @ rim.normal).max()
    return bool(off <= FLAT * np.sqrt(rim.size))


def _nested(rims: list[Rim], vertices: NDArray[np.float64]) -> list[list[Rim]]:
    """Flat rims, each outer one with those that are its holes."""
    rims = sorted(rims, key=lambda rim: -rim.size)
    if not rims:
        return []
    middles, normals = (np.array([getattr(rim, name) for rim in rims]) for name in
                        ("middle", "normal"))  # fmt: skip
    sizes = np.array([rim.size for rim in rims])
    groups: dict[int, list[Rim]] = {}
    for number, rim in enumerate(rims):
        along = normals[:number] @ rim.normal
        off = np.abs(np.einsum("ij,ij->i", middles[:number] - rim.middle, normals[:number]))
        near = (np.abs(along) > PARALLEL) & (off <= FLAT * np.sqrt(sizes[:number]))
        point = vertices[rim.loop[0]]
        around = [
            outer
            for outer in np.flatnonzero(near).tolist()
            if within_polygon(*_flattened(rims[outer], vertices, point))
        ]
        # The smallest is the last: a hole runs against it.
        if around and along[around[-1]] < 0 and around[-1] in groups:
            groups[around[-1]].append(rim)
        else:
            groups[number] = [rim]
    return list(groups.values())


def _flattened(
    rim: Rim, vertices: NDArray[np.float64], *points: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """The corners of a rim (n, 2), and further points (2,), in its plane."""
    normal = rim.normal
    aside = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    aside /= np.linalg.norm(aside)
    plane = np.column_stack([aside, np.cross(normal, aside)])
    return [(vertices[rim.loop] - rim.middle) @ plane, *((p - rim.middle) @ plane for p in points)]


def _fill_flat(group: list[Rim], vertices: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Triangles between an outer rim and its holes; None where the rims cross."""
    outer, *inner = group
    loop = np.concatenate([rim.loop for rim in group])
    corners = _flattened(outer._replace(loop=loop), vertices)[0]
    ends = np.cumsum([len(rim.loop) for rim in group]).astype(np.uint32)
    found = mapbox_earcut.triangulate_float64(corners, ends).astype(np.int64).reshape(-1, 3)
    a, b, c = corners[found].swapaxes(0, 1)
    doubled = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    wanted = outer.size - sum(rim.size for rim in inner)
    if abs(np.abs(doubled).sum() / 2 - wanted) > SAME_AREA * outer.size:
        return None
    return loop[found if doubled.sum() > 0 else found[:, ::-1]]


def _taken(loop: NDArray[np.int64], edges: Edges) -> NDArray[np.bool_]:
    """(n, n): whether an edge joins two vertices of the loop already."""
    low, high = edges.ends.T  # sorted, as whole rows
    start, stop = np.minimum(loop[:, None], loop), np.maximum(loop[:, None], loop)
    count = int(high.max()) + 1
    known, keys = edge_keys(low, high, count), edge_keys(start, stop, count)
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return known[place] == keys
