"""Vertices and triangles of an object of a 3MF, by expat or, where they are plain, compiled."""

import re
from array import array

import numpy as np
from numpy.typing import NDArray

from geometry.formats.reader_checks import check_facets, unreadable
from input_errors import InputError

ROWS_A_BLOCK = 1 << 16
NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
XML_BLANKS = " \t\r\n"
LARGEST_INDEX = 1 << 31


class MeshRows:
    """The numbers of elements `vertex` or `triangle`, as they come.

    names : of other attributes that any of them has
    """

    def __init__(self, tag: str, keys: tuple[str, str, str], *, whole: bool, place: str):
        """place: of which object in which part, for errors"""
        self.tag, self.keys, self.whole, self.place = tag, keys, whole, place
        self.names: set[str] = set()
        self.count = 0
        self._last = array("d")
        self._blocks: list[NDArray[np.float64]] = []

    def add(self, attributes: dict[str, str]) -> None:
        """One element. Raises InputError: unreadable, too-large."""
        for key in self.keys:
            self._last.append(self._number(key, attributes.get(key), self.count))
        if len(attributes) > 3:
            self.names.update(attributes.keys() - self.keys)
        self._counted(1)

    def skip(self, data: bytes, at: int, tag: bytes) -> int:
        """Take the plain elements from `at` on; where the first that is not plain begins.

        tag : what each begins with
        """
        # Only for files of some size: it loads numba.
        from geometry.formats.threemf.element_rows import MAX_NAMES, read_rows

        keys = np.zeros((3, 2), dtype=np.uint8)
        for row, key in enumerate(self.keys):
            keys[row, : len(key)] = list(key.encode())
        keys.flags.writeable = False
        text, begin = np.frombuffer(data, np.uint8), np.frombuffer(tag, np.uint8)
        unsure = np.empty((3 * ROWS_A_BLOCK, 3), dtype=np.int64)
        names = np.empty((MAX_NAMES, 2), dtype=np.int64)
        while True:
            values = np.empty((ROWS_A_BLOCK, 3))
            rows, at, odd, named = read_rows(
                text, at, begin, keys, self.whole, values, unsure, names
            )
            for number, first, last in unsure[:odd].tolist():
                row, key = divmod(number, 3)
                word = data[first:last].decode("ascii")
                values[row, key] = self._number(self.keys[key], word, self.count + row)
            self.names.update(data[a:b].decode("ascii") for a, b in names[:named].tolist())
            if rows:
                self._close_block()
                self._blocks.append(values if rows == len(values) else values[:rows].copy())
                self._counted(rows)
            if rows < len(values):
                return at

    def table(self) -> NDArray[np.float64]:
        """(n, 3): all of them."""
        self._close_block()
        return np.concatenate([np.empty((0, 3)), *self._blocks])

    def _close_block(self) -> None:
        if self._last:
            self._blocks.append(np.array(self._last).reshape(-1, 3))
            self._last = array("d")

    def _counted(self, rows: int) -> None:
        self.count += rows
        if self.whole:
            check_facets(self.count)

    def _number(self, key: str, word: str | None, row: int) -> float:
        if word is None:
            raise self._rejection(f"it has no attribute {key!r}", row)
        word = word.strip(XML_BLANKS)
        if not NUMBER.fullmatch(word):
            mend = "; write decimals with a point" if "," in word else ""
            raise self._rejection(f"{key} is {word[:40]!r}, which is not a number{mend}", row)
        value = float(word)
        if not np.isfinite(value):
            raise self._rejection(f"{key} is {word[:40]!r}, which is too large", row)
        if self.whole and not (0 <= value < LARGEST_INDEX and value == int(value)):
            raise self._rejection(f"{key} is {word[:40]!r}, which is no index of a vertex", row)
        return value

    def _rejection(self, reason: str, row: int) -> InputError:
        return unreadable(
            "3mf", f"{self.tag} {row:,}, counted from 0, of {self.place} is wrong: {reason}"
        )


def vertices_of(place: str) -> MeshRows:
    return MeshRows("vertex", ("x", "y", "z"), whole=False, place=place)


def triangles_of(place: str) -> MeshRows:
    return MeshRows("triangle", ("v1", "v2", "v3"), whole=True, place=place)


def faces_of(triangles: MeshRows, vertices: int) -> NDArray[np.int64]:
    """(m, 3). Raises InputError: unreadable, for a triangle of vertices that are not there."""
    faces = triangles.table().astype(np.int64)
    beyond = np.flatnonzero((faces >= vertices).any(axis=1))
    if len(beyond):
        row, index = int(beyond[0]), int(faces[beyond[0]].max())
        reason = f"triangle {row:,}, counted from 0, of {triangles.place} has the vertex {index:,}"
        raise unreadable("3mf", f"{reason}, counted from 0, of {vertices:,}")
    return faces
