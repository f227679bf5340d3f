"""Output of CuraEngine: progress, print time, errors, and the header of its G-code."""

import re
import shutil
from pathlib import Path

from apps.slicing.engines.base import SliceFailed

HEADER_BEGINS, HEADER_ENDS = "Gcode header after slicing:", "End of gcode header."
LOG_PREFIX = re.compile(r"(?:\[[^\]]*\] ?)+")  # time and level, from version 5.2 on
PROGRESS = re.compile(r"Progress:([^:]+):.*?([\d.]+)%")
PRINT_TIME = re.compile(r"Print time \(s\): (\d+)")
HEADER_LINE = re.compile(rb";(FLAVOR|TIME|Filament used|Layer height|MIN[XYZ]|MAX[XYZ]):")


class Listener:
    """What the engine says of itself while it slices."""

    def __init__(self) -> None:
        self.header: list[str] = []
        self.print_time: float | None = None
        self._in_header = False

    def hear(self, line: str) -> tuple[float, str] | None:
        line = LOG_PREFIX.sub("", line, count=1) if line.startswith("[") else line
        if line.startswith((HEADER_BEGINS, HEADER_ENDS)):
            self._in_header = line.startswith(HEADER_BEGINS)
            if first := line.removeprefix(HEADER_BEGINS).strip() if self._in_header else "":
                self.header.append(first)
        elif self._in_header:
            self.header.append(line)
        elif match := PROGRESS.match(line):
            return min(float(match[2]), 1.0), match[1]
        elif match := PRINT_TIME.match(line):
            self.print_time = float(match[1])
        return None


def failure_of(log: str) -> SliceFailed:
    """What an exit status other than 0 means, by the last error in the log."""
    errors = [line for line in log.splitlines() if line.lower().startswith("[error]")]
    last = errors[-1][len("[error]") :].strip()[:200] if errors else "it gave no reason"
    if "setting" in last.lower():
        title = f"CuraEngine refused a setting of the config: {last} Change it in the config."
        return SliceFailed("config-not-usable", title, log)
    return SliceFailed("engine-failed", f"CuraEngine refused the model: {last}", log)


def replace_header(sliced: Path, gcode: Path, header: list[str]) -> None:
    """Move the gcode, its first lines replaced by the header.

    The engine writes them before it slices, with numbers that stand for nothing.
    """
    with sliced.open("rb") as source, gcode.open("wb") as target:
        first = source.readline()
        if header:
            while HEADER_LINE.match(first):
                first = source.readline()
            target.write("".join(f"{line}\n" for line in header).encode())
        target.write(first)
        shutil.copyfileobj(source, target, 1 << 20)
    sliced.unlink()
