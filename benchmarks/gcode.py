"""How fast gcode is read, in MB per second of processor time, beside splitting its lines in Python.

The file is made here as a slicer writes it. The peer only looks at each line's words: no positions,
no layers, no filament.
"""

import math
import tempfile
from pathlib import Path

from apps.slicing.gcode import figures
from benchmarks.kit import FULL, Figure, in_turn, report

ROUNDS, LAYERS, POINTS = 5, 3000 if FULL else 600, 600


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tower.gcode"
        spiral_tower(path)
        jobs = {
            "ours": lambda: figures(path, filament_diameter=1.75),
            "peer": lambda: split(path),
        }
        costs = in_turn(jobs, rounds=ROUNDS, warm=0)
        speeds = [path.stat().st_size / 1e6 / cost.cpu for cost in costs.values()]
    report("gcode", [Figure("gcode read", "MB/s", *speeds, goal=">= 25")])


def spiral_tower(path: Path) -> None:
    """Rings of short lines, a retraction and a feature a layer."""
    with path.open("w") as file:
        file.write("G21\nG90\nM82\nM104 S210\nG28\n")
        for layer in range(LAYERS):
            file.write(f";LAYER:{layer}\nG1 Z{0.2 + 0.2 * layer:.3f} F9000\nG1 E-2 F2400\nG92 E0\n")
            file.write(f"G0 X150.000 Y125.000 F9000\n;TYPE:WALL-{layer % 2}\nG1 F1800\n")
            extruded = 0.0
            for point in range(1, POINTS + 1):
                angle, radius = 2 * math.pi * point / POINTS, 25 + point % 7 * 0.1
                x, y = 125 + radius * math.cos(angle), 125 + radius * math.sin(angle)
                extruded += 0.00873
                file.write(f"G1 X{x:.3f} Y{y:.3f} E{extruded:.5f}\n")


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
