"""How fast gcode is read: MB per second of processor time, of a file or of one made here."""

import math
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from apps.slicing.gcode import figures

GOAL = 25.0  # MB/s
RUNS = 5


def spiral_tower(path: Path, layers: int = 600, points: int = 600) -> None:
    """A file as a slicer writes it: rings of short lines, a retraction and a feature a layer."""
    with path.open("w") as file:
        file.write("G21\nG90\nM82\nM104 S210\nG28\n")
        for layer in range(layers):
            file.write(f";LAYER:{layer}\nG1 Z{0.2 + 0.2 * layer:.3f} F9000\nG1 E-2 F2400\nG92 E0\n")
            file.write(f"G0 X150.000 Y125.000 F9000\n;TYPE:WALL-{layer % 2}\nG1 F1800\n")
            extruded = 0.0
            for point in range(1, points + 1):
                angle, radius = 2 * math.pi * point / points, 25 + point % 7 * 0.1
                x, y = 125 + radius * math.cos(angle), 125 + radius * math.sin(angle)
                extruded += 0.00873
                file.write(f"G1 X{x:.3f} Y{y:.3f} E{extruded:.5f}\n")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "tower.gcode"
        if len(sys.argv) == 1:
            spiral_tower(path)
        seconds = []
        for _ in range(RUNS):
            start = time.process_time()
            facts = figures(path, filament_diameter=1.75)
            seconds.append(time.process_time() - start)
        megabytes = path.stat().st_size / 1e6
    speed = megabytes / median(seconds)
    print(f"gcode  {megabytes:.1f} MB, {facts.layers} layers, {facts.filament_mm:.0f} mm filament")
    print(f"gcode  {speed:.1f} MB/s of processor time, median of {RUNS} (goal {GOAL:g})")


main()
