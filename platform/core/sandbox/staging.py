"""Staging directories: files into and out of a sandbox child."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.sandbox.confinement.uid_switch import take_back


class Direct:
    """The files of one job in place: for a child that is confined for this job.

    folder   : the one that the job may write to
    writable : where the child writes it
    """

    def __init__(self, folder: Path | None):
        self.folder = self.writable = folder
        self.reads: list[str] = []

    def named(self, path: Path) -> str:
        """Return the path for the child; files outside of the folder are read only."""
        if self.folder is None or not path.is_relative_to(self.folder):
            self.reads.append(str(path))
        return str(path)

    def collect(self) -> None:
        """Have back what the job made."""
        if self.folder is not None:
            take_back(self.folder)


class ResidentFolders:
    """Two folders that a resident child reads and writes all its life, with one job's files.

    It sees the files of no other job, though its walls were put up before there was any.
    """

    def __init__(self, folder: Path):
        self.inside, self.outside = folder / "in", folder / "out"
        for place in (self.inside, self.outside):
            place.mkdir()

    def job(self, folder: Path | None) -> "_ResidentFiles":
        """The files of the next job; see Direct."""
        return _ResidentFiles(self, folder)


class _ResidentFiles(Direct):
    def __init__(self, resident: ResidentFolders, folder: Path | None):
        super().__init__(folder)
        self.resident, self.outside = resident, resident.outside
        self.writable = self.outside

    def named(self, path: Path) -> str:
        if self.folder is not None and path.is_relative_to(self.folder):
            return str(self.outside / path.relative_to(self.folder))
        place = self.resident.inside / f"{len(os.listdir(self.resident.inside))}{path.suffix}"
        try:
            place.hardlink_to(path)
        except OSError:  # another disk
            shutil.copyfile(path, place)
        return str(place)

    def collect(self) -> None:
        for path in self.resident.inside.iterdir():
            path.unlink()
        for path in self.outside.iterdir():
            if self.folder is not None:
                shutil.move(path, self.folder / path.name)
            elif path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        super().collect()


def has_more_files(folder: Path, limit: int) -> bool:
    """Return whether there are more than so many files and folders within a folder."""
    seen = 0
    for _, folders, names in os.walk(folder):
        seen += len(folders) + len(names)
        if seen > limit:
            return True
    return False


def with_paths(value: Any, named: Callable[[Path], str]) -> Any:
    """Return a job's arguments as JSON types, with each Path replaced by what `named` returns."""
    if isinstance(value, Path):
        return named(value)
    if isinstance(value, dict):
        return {name: with_paths(item, named) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [with_paths(item, named) for item in value]
    return value
