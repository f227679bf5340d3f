"""Memory and disk space that a running slicer uses, read from /proc and its folder."""

import os
from contextlib import suppress
from pathlib import Path

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
ENTRY_BYTES = 4096  # also for an empty file
MAX_DEPTH, MAX_ENTRIES = 64, 50_000


def resident_bytes(process: int) -> int:
    """Return the resident memory of a process and all below it, bytes."""
    children: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            fields = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(name))
            sizes[int(name)] = int(fields[21]) * PAGE_BYTES
    total, queue = 0, [process]
    while queue:
        total += sum(sizes.get(each, 0) for each in queue)
        queue = [child for each in queue for child in children.get(each, ())]
    return total


def used_bytes(folder: Path, apart: str) -> tuple[int, int] | None:
    """Return what the files of a folder take, bytes: without one folder in it, and of that one.

    None: there are too many, too deep, or unreadable ones.
    """
    sizes, count = [0, 0], 0
    queue = [(str(folder), 0, 0)]
    while queue:
        path, depth, part = queue.pop()
        try:
            with os.scandir(path) as rows:
                for row in rows:
                    count += 1
                    if count > MAX_ENTRIES or depth > MAX_DEPTH:
                        return None
                    place = 1 if depth == 0 and row.name == apart else part
                    with suppress(FileNotFoundError):
                        blocks = row.stat(follow_symlinks=False).st_blocks
                        sizes[place] += 512 * blocks + ENTRY_BYTES
                    if row.is_dir(follow_symlinks=False):
                        queue.append((row.path, depth + 1, place))
        except FileNotFoundError:
            continue
        except OSError:
            return None
    return sizes[0], sizes[1]
