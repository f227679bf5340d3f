"""Layer index of a G-code file, built while reading.

A layer begins with the first line that lays something down at another height than the line laid
down before it, and ends where the next one begins. The index keeps what a printer would remember
there, so that a single layer can be read without the lines before it.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from gcode.machine import MODES, RARE_MODES, SETTINGS
from gcode.motion import Moves

HEIGHT_STEP = 0.01  # mm, heights nearer than this are one layer
MAX_LAYERS = 20_000  # the last one takes what would be more

# One row a layer: figures for the reader, then the state of the machine at its first line.
LAYER = np.dtype(
    [
        ("offset", np.int64),
        ("z", float),
        ("filament_mm", float),
        ("seconds", float),
        ("lines", np.int64),
        ("travels", np.int64),
        ("lowest", float, 2),
        ("highest", float, 2),
        ("position", float, 4),
        *((name, float) for name in (*MODES, *RARE_MODES)),
        ("feature", np.int64),
    ]
)


class Layer(NamedTuple):
    """One layer of an index.

    z, height          : mm, of its first line; height is what the slicer says, or else the rise
                         since the layer before, and z itself where the file begins anew from below
    filament_mm        : laid down
    build_time_seconds : until the next layer begins, pauses left out
    lines              : moves that lay something down
    travels            : moves that do not
    bounds             : (2, 2) mm, lowest and highest x and y of what is laid down
    """

    z: float
    height: float
    filament_mm: float
    build_time_seconds: float
    lines: int
    travels: int
    bounds: tuple[list[float], list[float]]


class LayerCounter:
    """Makes the index, block by block."""

    def __init__(self) -> None:
        self.count = 0
        self._layers = np.zeros(MAX_LAYERS + 1, LAYER)  # the first: what comes before any layer
        self._layers["lowest"], self._layers["highest"] = np.inf, -np.inf
        self._height = np.nan  # in steps, of what was last laid down
        self._bounds = np.array([[np.inf] * 3, [-np.inf] * 3])

    def add(
        self,
        moves: Moves,
        offsets: NDArray[np.int64],
        seconds: NDArray[np.float64],
        bounds: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> NDArray[np.int64]:
        """Count a block; (n,), the number of the layer of each row, 0 before the first.

        offsets : (n,), the byte of the file at which each row's line begins
        seconds : of every row that is moving
        bounds  : (3, n) mm each, of every row's way
        """
        laid = np.flatnonzero(moves.extruded > 0.0)
        heights = np.rint(moves.ends[2, laid] / HEIGHT_STEP)
        fresh = heights != np.concatenate([[self._height], heights[:-1]])
        begins = laid[fresh][: MAX_LAYERS - self.count]  # (k,) rows that begin a layer
        if len(laid):
            self._height = heights[-1]

        first = self.count
        steps = np.zeros(len(offsets), np.int64)
        steps[begins] = 1
        numbers = np.cumsum(steps)  # (n,), of the layers touched here: 0 is the one under way
        self.count += len(begins)
        self._begin(self._layers[first + 1 : self.count + 1], begins, moves, offsets)

        touched = self._layers[first : self.count + 1]
        self._sum(touched, numbers, moves, seconds)
        if len(laid):
            owners = numbers[laid]
            starts = np.flatnonzero(np.diff(owners, prepend=-1))
            rows = owners[starts]
            for end, (name, least) in enumerate((("lowest", np.minimum), ("highest", np.maximum))):
                found = least.reduceat(bounds[end][:, laid], starts, axis=1).T  # (k, 3)
                touched[name][rows] = least(touched[name][rows], found[:, :2])
                least(self._bounds[end], least.reduce(found), out=self._bounds[end])
        return first + numbers

    def bounds(self) -> tuple | None:
        """(2, 3) mm, lowest and highest corner of what is laid down; None where nothing is."""
        return tuple(map(tuple, self._bounds.tolist())) if self.count else None

    def _begin(
        self,
        layers: NDArray[np.void],
        rows: NDArray[np.int64],
        moves: Moves,
        offsets: NDArray[np.int64],
    ) -> None:
        layers["offset"] = offsets[rows]
        layers["z"] = moves.ends[2, rows]
        layers["position"] = moves.starts[:, rows].T
        layers["feature"] = moves.features[rows]
        for name, values in moves.modes.items():
            layers[name] = values[rows]

    def _sum(
        self,
        layers: NDArray[np.void],
        numbers: NDArray[np.int64],
        moves: Moves,
        seconds: NDArray[np.float64],
    ) -> None:
        count = len(layers)
        moving = numbers[moves.moving]
        laying = moves.extruded[moves.moving] > 0.0
        travelling = ~laying & (moves.path.directions[3] == 0.0)
        layers["filament_mm"] += np.bincount(numbers, moves.extruded, minlength=count)
        layers["seconds"] += np.bincount(moving, seconds, minlength=count)
        layers["lines"] += np.bincount(moving[laying], minlength=count)
        layers["travels"] += np.bincount(moving[travelling], minlength=count)

    def write(
        self, path: Path, *, features: Iterable[bytes], filament_diameter: float, size: int
    ) -> None:
        """Keep the index as a JSON file of columns.

        features : the slicer's words, in the order of their numbers
        size     : of the gcode, bytes
        """
        layers = self._layers[1 : self.count + 1]
        columns = {
            name: np.ascontiguousarray(layers[name])
            for name in LAYER.names or ()
            if name not in RARE_MODES or (layers[name] != SETTINGS[name]).any()
        }
        words = [word.decode("latin1") for word in features]  # any bytes, and back again
        facts = {"features": words, "filament_diameter": filament_diameter, "size": size}
        index = orjson.dumps({**facts, "layers": columns}, option=orjson.OPT_SERIALIZE_NUMPY)
        path.write_bytes(index)


class LayerIndex:
    """An index that was kept."""

    def __init__(self, data: bytes):
        self._facts: dict[str, Any] = orjson.loads(data)
        self._columns: dict[str, list[Any]] = self._facts["layers"]

    def __len__(self) -> int:
        return len(self._columns["z"])

    def layer(self, number: int) -> Layer:
        """The layer's figures, counted from 0."""
        columns = self._columns
        z = columns["z"][number]
        below = columns["z"][number - 1] if number else 0.0
        return Layer(
            z=z,
            height=columns["height"][number] or round(z - below if z > below else z, 6),
            filament_mm=columns["filament_mm"][number],
            build_time_seconds=columns["seconds"][number],
            lines=columns["lines"][number],
            travels=columns["travels"][number],
            bounds=(columns["lowest"][number], columns["highest"][number]),
        )

    def span(self, number: int) -> tuple[int, int]:
        """The bytes [start, end) of the gcode that the layer is."""
        offsets = self._columns["offset"]
        last = number + 1 == len(offsets)
        return offsets[number], self._facts["size"] if last else offsets[number + 1]

    def position(self, number: int) -> dict[str, float]:
        """Where the machine is when the layer begins, by axis."""
        return dict(zip("XYZE", self._columns["position"][number], strict=True))

    def settings(self, number: int) -> dict[str, float]:
        """What the machine remembers when the layer begins: modes and feature."""
        names = [name for name in RARE_MODES if name in self._columns]
        return {name: self._columns[name][number] for name in ("feature", *MODES, *names)}

    @property
    def features(self) -> dict[bytes, int]:
        """The slicer's words in upper case, and their numbers."""
        return {word.encode("latin1"): key for key, word in enumerate(self._facts["features"])}

    @property
    def names(self) -> list[str]:
        """The slicer's words in lower case, by their numbers; "" where it said none."""
        return [word.decode(errors="replace").lower() for word in self.features]

    @property
    def filament_diameter(self) -> float:
        """mm."""
        return self._facts["filament_diameter"]
