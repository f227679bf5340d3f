"""Run benchmarks, all or those named, and write their chapters: python -m benchmarks [NAME ...]"""

import ast
import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.kit import ROOT, table

TIME_LIMIT = 720.0  # seconds that each may take, without FULL=1
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Written by `make bench`; `make bench NAME=mesh` runs one of them, prints its figures, and as its
last line the same as JSON, and writes its chapter alone: each says when it was measured. `FULL=1`
adds the larger sizes, `DATA=folder` real meshes where a benchmark judges some. Rounds are
interleaved with the peer's, in the same run on the same machine, and what stands here are their
medians. A ratio is ours divided by the peer's.
"""


def main() -> None:
    files = {path.stem: path for path in sorted((ROOT / "benchmarks").glob("[a-z]*.py"))}
    del files["kit"]
    wanted = sys.argv[1:] or list(files)
    if unknown := [name for name in wanted if name not in files]:
        sys.exit(f"There is no benchmark {unknown[0]!r}; there are: {', '.join(files)}.")
    kept = chapters(PAGE.read_text())
    for name in wanted:
        found = run(name)
        kept[name] = chapter(name, ast.get_docstring(ast.parse(files[name].read_text())), found)
        PAGE.write_text("\n".join([HEAD, *(kept[name] for name in files if name in kept)]))


def chapters(page: str) -> dict[str, str]:
    """The chapters of the page, by the names of their benchmarks."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]
    return {part.split()[1]: part.rstrip() + "\n" for part in parts}


def run(name: str) -> dict[str, Any]:
    """What the benchmark's last line says; all that it prints is passed on as it comes."""
    path = f"{ROOT}:{ROOT / 'platform'}"
    limit = None if os.environ.get("FULL") == "1" else str(TIME_LIMIT)
    command = ["timeout", limit] if limit else []
    command += [sys.executable, "-m", f"benchmarks.{name}"]
    line = "{}"
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
    if process.returncode:
        late = f": it took longer than {TIME_LIMIT:g} s" if process.returncode == 124 else ""
        sys.exit(f"The benchmark {name} failed{late}.")
    return json.loads(line)


def chapter(name: str, about: str | None, found: dict[str, Any]) -> str:
    """A benchmark's part of the page."""
    when = datetime.datetime.now(datetime.UTC).date()
    measured = f"Measured on {when}, {found['cores']} cores{processor()}."
    return f"## {name}\n\n{about}\n\n{measured}\n\n{table(found['figures'])}\n"


def processor() -> str:
    """What Linux calls this machine's processor, after a comma."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f", {names[0]}" if names else ""


if __name__ == "__main__":
    main()
