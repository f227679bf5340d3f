"""Runs of an engine on another computer: its input files packed, its G-code taken over.

An engine prepares its files, runs its program, and checks what that has written. For a program on
another computer it does so twice: the first time `pack_files` takes the place of the program, the
second time a `FinishedRun`, which has the G-code and the output of the program.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from apps.slicing.engines.base import EngineLimits, OnLine, Outcome, Progress

SETTINGS_FILE = "settings.json"  # of CuraEngine, which reads them as arguments


class FilesPacked(Exception):
    """The input files of an engine, in place of its run; `model` is the name of the model."""

    def __init__(self, model: str, files: Sequence[Path]):
        super().__init__(model)
        self.model = model
        self.files = tuple(files)


def pack_files(
    command: Sequence[str],
    folder: Path,
    *,
    limits: EngineLimits,
    on_line: OnLine,
    programs: Sequence[str] = (),
    progress: Progress | None = None,
) -> NoReturn:
    """Raise FilesPacked with the files in `folder`; settings among the arguments become a file."""
    settings = [value for flag, value in pairwise(command) if flag == "-s"]
    if settings:
        pairs = dict(setting.split("=", 1) for setting in settings)
        (folder / SETTINGS_FILE).write_text(json.dumps(pairs), encoding="utf-8")
    files = sorted(path for path in folder.iterdir() if path.is_file())
    raise FilesPacked(command[-1], files)


@dataclass(frozen=True)
class FinishedRun:
    """The end of a run on another computer.

    gcode   : file that the program wrote
    seconds : run time of the program
    log     : end of the program's output
    """

    gcode: Path
    seconds: float
    log: str

    def __call__(
        self,
        command: Sequence[str],
        folder: Path,
        *,
        limits: EngineLimits,
        on_line: OnLine,
        programs: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> Outcome:
        """Put the G-code where the command has it written; the output is read line by line."""
        output = next(after for flag, after in pairwise(command) if flag in ("-o", "--output"))
        shutil.copyfile(self.gcode, folder / output)
        for line in self.log.splitlines():
            on_line(line.strip())
        return Outcome(0, self.seconds, self.log)
