"""How fast gcode is read: MB per second of processor time, and the most memory that it takes.

A tower of short lines is made here as a slicer writes it; DATA may name a folder of gcode files
besides. The peers: OctoPrint's interpreter, which finds extents, filament and time as we do, and
splitting lines into words in Python, which finds nothing. One layer is read as a viewer asks for
it, from the index that the one pass made.
"""

import importlib.util
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from benchmarks.kit import DATA, FULL, PEERS, Figure, fetch_peer, in_turn, report
from gcode import LayerIndex, figures, laid_paths

ROUNDS, POINTS = 5, 600
LAYERS, LARGE_LAYERS = 3000 if FULL else 400, 12_000  # about 7 and 200 MB
INTERPRETER = PEERS / "octoprint" / "util" / "gcodeInterpreter.py"
MEMORY = """
import sys
from pathlib import Path
from gcode import figures
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
before = peak()
figures(Path(sys.argv[1]), layers=Path(sys.argv[1] + ".layers"))
print((peak() - before) / 1024)
"""


def main() -> None:
    octoprint = interpreter() if fetch_peer("OctoPrint") else None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, large = folder / "tower.gcode", folder / "large.gcode"
        spiral_tower(small, LAYERS)
        spiral_tower(large, LARGE_LAYERS)
        found = [
            *speeds("tower", small, octoprint),
            *(row for path in given() for row in speeds(path.name, path, octoprint)),
            Figure(
                f"memory for {large.stat().st_size / 1e6:.0f} MB",
                "MB",
                memory(large),
                goal="<= 150",
            ),
            one_layer(large, folder / "large.gcode.layers"),
        ]
    report("gcode", found)


def given() -> list[Path]:
    """Gcode files of the folder DATA."""
    return sorted(DATA.rglob("*.gcode"))[:5] if DATA else []


def speeds(title: str, path: Path, octoprint: ModuleType | None) -> list[Figure]:
    """MB per second of ours and of the peers."""
    jobs: dict[str, Callable[[], object]] = {
        "ours": lambda: figures(path, layers=path.with_name("index.layers")),
        "split": lambda: split(path),
    }
    if octoprint:
        jobs["octoprint"] = lambda: octoprint.gcode().load(str(path))
    costs = in_turn(jobs, rounds=ROUNDS, warm=0)
    speed = {who: path.stat().st_size / 1e6 / cost.cpu for who, cost in costs.items()}
    rows = [Figure(f"{title}, beside split()", "MB/s", speed["ours"], speed["split"], goal=">= 25")]
    if octoprint:
        rows.append(
            Figure(
                f"{title}, beside OctoPrint",
                "MB/s",
                speed["ours"],
                speed["octoprint"],
                "ratio >= 20",
            )
        )
    return rows


def memory(path: Path) -> float:
    """MB that reading the file takes at most, in a process of its own."""
    command = [sys.executable, "-c", MEMORY, str(path)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def one_layer(path: Path, layers: Path) -> Figure:
    """ms to answer with one layer, the index read from its file."""

    def read() -> None:
        index = LayerIndex(layers.read_bytes())
        number = len(index) // 2
        start, end = index.span(number)
        with path.open("rb") as file:
            file.seek(start)
            laid_paths(file.read(end - start), index, number)

    costs = in_turn({"ours": read}, rounds=ROUNDS, calls=3)
    return Figure("one layer of it", "ms", costs["ours"].cpu * 1000, goal="<= 100")


def interpreter() -> ModuleType:
    """OctoPrint's module, which needs nothing else of it."""
    spec = importlib.util.spec_from_file_location("gcodeInterpreter", INTERPRETER)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{INTERPRETER} is no module.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def spiral_tower(path: Path, layers: int) -> None:
    """Rings of short lines, a retraction and a feature a layer."""
    lines, extruded = [], 0.0
    for point in range(1, POINTS + 1):
        angle, radius = 2 * math.pi * point / POINTS, 25 + point % 7 * 0.1
        x, y = 125 + radius * math.cos(angle), 125 + radius * math.sin(angle)
        extruded += 0.00873
        lines.append(f"G1 X{x:.3f} Y{y:.3f} E{extruded:.5f}\n")
    ring = "".join(lines)
    with path.open("w") as file:
        file.write("G21\nG90\nM82\nM104 S210\nG28\n")
        for layer in range(layers):
            file.write(f";LAYER:{layer}\nG1 Z{0.2 + 0.2 * layer:.3f} F9000\nG1 E-2 F2400\nG92 E0\n")
            file.write(f"G0 X150.000 Y125.000 F9000\n;TYPE:WALL-{layer % 2}\nG1 F1800\n{ring}")


def split(path: Path) -> int:
    """What every reader in Python does at least; the number of lines that move."""
    moves = 0
    with path.open() as file:
        for line in file:
            words = line.partition(";")[0].split()
            if words and words[0] in ("G0", "G1"):
                moves += len({word[0]: float(word[1:]) for word in words[1:]}) > 0
    return moves


if __name__ == "__main__":
    main()
