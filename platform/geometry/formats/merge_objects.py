"""Merges objects that are fragments of one surface."""

import numpy as np
from numpy.typing import NDArray

from geometry.formats.normalize import compact, is_manifold
from geometry.formats.objects import HERE, Instance, Notes, Part
from geometry.formats.reader_checks import ReadMesh
from geometry.mesh.half_edges import components

ALIKE = 1e-6  # of the extent, within which two places are the same


def join_open(parts: list[Part], notes: Notes) -> list[Part]:
    """The parts, but with the pieces of one surface as one.

    Some programs make an object of each face, or of each material of a solid. So what is open, is
    placed once and has two corners in common with another such piece is joined with it, and noted.
    """
    once = {number: part for number, part in enumerate(parts) if len(part.instances) == 1}
    if len(once) < 2:
        return parts
    placed = {
        number: _placed(part.content, part.instances[0])
        for number, part in once.items()
        if not _is_closed(part.content)
    }
    if len(placed) < 2:
        return parts
    groups: dict[int, list[int]] = {}
    sharing = _sharing([content.vertices for content in placed.values()])
    for number, group in zip(placed, sharing.tolist(), strict=True):
        groups.setdefault(group, []).append(number)
    kept: list[Part | None] = [*parts]
    for numbers in groups.values():
        if len(numbers) < 2:
            continue
        first = parts[numbers[0]]
        notes.joined.append({"object": first.name, "pieces": len(numbers)})
        looks = {(parts[number].color, parts[number].material) for number in numbers}
        color, material = looks.pop() if len(looks) == 1 else (None, None)
        content = joined([placed[number] for number in numbers])
        for number in numbers:
            kept[number] = None
        kept[numbers[0]] = Part(
            first.object, first.name, content, [Instance(None, HERE)], color, material
        )
    return [part for part in kept if part is not None]


def joined(contents: list[ReadMesh]) -> ReadMesh:
    """All of them as one, in the first one's unit."""
    starts = np.cumsum([0, *(len(content.vertices) for content in contents)]).tolist()
    faces = [content.faces + start for content, start in zip(contents, starts, strict=False)]
    vertices = np.concatenate([content.vertices for content in contents])
    return contents[0]._replace(vertices=vertices, faces=np.concatenate(faces))


def _is_closed(content: ReadMesh) -> bool:
    faces = compact(content, 1.0).faces
    return bool(len(faces)) and is_manifold(faces)


def _placed(content: ReadMesh, instance: Instance) -> ReadMesh:
    turn, move = instance.transform[:, :3], instance.transform[:, 3]
    return content._replace(vertices=content.vertices @ turn.T + move)


def _sharing(pieces: list[NDArray[np.float64]]) -> NDArray[np.int32]:
    """(k,) the same number for those of k sets of places that have two places in common."""
    everything = np.concatenate(pieces)
    low = everything.min(axis=0)
    step = float((everything.max(axis=0) - low).max()) * ALIKE or 1.0
    grid = [np.unique(np.rint((piece - low) / step).astype(np.int64), axis=0) for piece in pieces]
    owners = np.repeat(np.arange(len(grid)), [len(places) for places in grid])
    places = np.concatenate(grid)
    order = np.lexsort(places.T)
    places, owners = places[order], owners[order]
    same = (places[1:] == places[:-1]).all(axis=1)
    pairs = np.column_stack([owners[:-1][same], owners[1:][same]])
    linked, times = np.unique(pairs, axis=0, return_counts=True)
    return components(linked[times > 1], len(grid))[1]
