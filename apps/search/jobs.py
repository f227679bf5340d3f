"""Sandboxed jobs: descriptor and comparison of files; no Django."""

import hashlib
from pathlib import Path

from geometry.analysis import analyse
from geometry.similarity import compare, describe, prepare

prepare()  # in the child that is forked for each job


def describe_file(path: str) -> dict[str, object]:
    """Describe the canonical STL at `path`."""
    return describe(path)._asdict()


def describe_upload(path: str, canonical: str) -> dict[str, object]:
    """Write the uploaded STL at `path` to `canonical` in canonical form; compute its descriptor.

    Returns its SHA-256 and the descriptor.
    """
    analyse(path, canonical)
    with Path(canonical).open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return {"sha256": sha256, "description": describe(canonical)._asdict()}


def compare_files(first: str, second: str) -> dict[str, object]:
    """Lay the canonical STL at `first` on that at `second`."""
    return compare(first, second)._asdict()
