"""Slicers that the agent runs: their files, command lines, results, and lines of progress.

The command lines are the agent's own, with fixed options and names in the folder of the job; the
platform sends files alone. Those of PrusaSlicer and CuraEngine were run; those of OrcaSlicer and
Bambu Studio are written from their documentation ("CLI Mode" of OrcaSlicer's wiki, "Command Line
Usage" of Bambu Studio's) and were not run.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from machines.drivers import Rejected

FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII).fullmatch
SETTING_NAME = re.compile(r"[a-z0-9_]{1,100}", re.ASCII).fullmatch
MAX_SETTINGS, MAX_SETTING_BYTES, MAX_SETTINGS_BYTES = 5000, 100_000, 2_000_000
MAX_TRIANGLES = 100_000_000  # instead of the million that OrcaSlicer and Bambu Studio allow
OUTPUT = "out"  # folder of OrcaSlicer and Bambu Studio
PERCENT = re.compile(r"(\d{1,3}) => (.+)")
CURA_PROGRESS = re.compile(r"(?:\[[^\]]*\] ?)*Progress:([^:]+):.*?([\d.]+)%")
PRESETS = ("machine.json", "process.json", "filament.json")
SCRIPTS = re.compile(r"^[ \t]*post_process[ \t]*=(.*)$", re.MULTILINE)
NO_SCRIPTS = "{} has post_process scripts, which the agent does not run: remove them."
NAMED_VERSION = r"\D{0,20}?(\d+(?:\.\d+){1,3}(?:-(?:alpha|beta|rc)\d*)?)"


class EngineProgress(NamedTuple):
    """Fraction done, and the step that the slicer names."""

    fraction: float
    stage: str


class JobFolder(NamedTuple):
    """Folder of a job.

    path    : where it is
    place   : the same as the program sees it
    model   : name of the model in it
    seconds : time limit of the job
    """

    path: Path
    place: str
    model: str
    seconds: float


class EngineKind(NamedTuple):
    """A kind of slicer.

    title     : how it names itself
    hints     : parts of the name of its program, lower case, without - and _
    help      : arguments with which it prints its version
    models    : suffixes of models that it reads
    configs   : files that a job has beside its model
    arguments : of its command
    results   : where its G-code is, in the folder of the job; of a package: `package` is the member
    """

    title: str
    hints: tuple[str, ...]
    version: re.Pattern[str]
    help: str
    models: tuple[str, ...]
    configs: tuple[str, ...]
    arguments: Callable[[JobFolder], list[str]]
    results: tuple[str, ...]
    package: str = ""


def check_files(kind: EngineKind, model: str, names: list[str]) -> None:
    """Raise Rejected for files that this kind does not read."""
    for name in names:
        if not FILE_NAME(name):
            raise Rejected(f"{name[:100]!r} is no name of a file.")
    if Path(model).suffix.lower() not in kind.models or model in kind.configs:
        raise Rejected(f"{kind.title} reads models as {' or '.join(kind.models)}, not {model!r}.")
    if sorted(names) != sorted((model, *kind.configs)):
        expected = ", ".join((model, *kind.configs))
        raise Rejected(f"{kind.title} needs the files {expected}, not {', '.join(names)}.")


def progress_of(line: str) -> EngineProgress | None:
    """Return the progress that a line of output reports, of any kind."""
    if match := PERCENT.fullmatch(line):
        return EngineProgress(min(int(match[1]) / 100, 1.0), printable(match[2]))
    if match := CURA_PROGRESS.match(line):
        try:
            return EngineProgress(min(float(match[2]), 1.0), printable(match[1]))
        except ValueError:
            return None
    return None


def printable(text: str) -> str:
    """Return the first 100 characters of a stage, without control characters."""
    return "".join(filter(str.isprintable, text))[:100]


def _prusaslicer(job: JobFolder) -> list[str]:
    content = _text(job.path / "config.ini")
    if any(match[1].strip(' ";') for match in SCRIPTS.finditer(content)):
        raise Rejected(NO_SCRIPTS.format("config.ini"))
    return [
        *("--export-gcode", "--dont-arrange", "--datadir", "data"),
        # Otherwise an unknown value is replaced by another one.
        *("--config-compatibility", "disable"),
        *("--load", "config.ini"),
        # A 3MF has settings of its own, and these would be run.
        *("--post-process", "", "--output", "out.gcode", job.model),
    ]


def _bambu_options(job: JobFolder) -> list[str]:
    for name in PRESETS:
        preset = _object(job.path / name)
        if any(_texts(preset.get("post_process"))):
            raise Rejected(NO_SCRIPTS.format(name))
        if name == "process.json":
            # A 3MF has settings of its own, which those of this file replace.
            content = json.dumps({**preset, "post_process": []})
            (job.path / name).write_text(content, encoding="utf-8")
    return [
        *("--slice", "0", "--arrange", "0", "--orient", "0"),
        # Defaults of both: 300 s and a million triangles.
        *("--mstpp", str(max(int(job.seconds), 1)), "--mtcpp", str(MAX_TRIANGLES)),
        *("--load-settings", "machine.json;process.json", "--load-filaments", "filament.json"),
        # Relative ones are refused by some versions.
        *("--outputdir", f"{job.place}/{OUTPUT}"),
    ]


def _orcaslicer(job: JobFolder) -> list[str]:
    return [*_bambu_options(job), job.model]


def _bambustudio(job: JobFolder) -> list[str]:
    return [*_bambu_options(job), "--export-3mf", "out.3mf", job.model]


def _curaengine(job: JobFolder) -> list[str]:
    arguments = ["slice", "-v", "-p"]
    for name, value in _settings(job.path / "settings.json").items():
        arguments += ["-s", f"{name}={value}"]
    return [*arguments, "-o", "out.gcode", "-l", job.model]


def _settings(path: Path) -> dict[str, str]:
    """Return settings of CuraEngine. Raises Rejected."""
    settings = {}
    for name, value in _object(path).items():
        if not SETTING_NAME(name):
            raise Rejected(f"{name[:100]!r} is no name of a setting.")
        if not isinstance(value, str) or "\0" in value or len(value) > MAX_SETTING_BYTES:
            raise Rejected(f"The value of {name} is no text of at most {MAX_SETTING_BYTES} bytes.")
        settings[name] = value
    return settings


def _object(path: Path) -> dict[str, object]:
    """Return the object in a JSON file. Raises Rejected."""
    try:
        content = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise Rejected(f"{path.name} is no JSON: {error}.") from error
    if not isinstance(content, dict) or len(content) > MAX_SETTINGS:
        raise Rejected(f"{path.name} is no object of at most {MAX_SETTINGS} settings.")
    return content


def _text(path: Path) -> str:
    """Return the text of a config. Raises Rejected."""
    if path.stat().st_size > MAX_SETTINGS_BYTES:
        raise Rejected(f"{path.name} has more than {MAX_SETTINGS_BYTES} bytes.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Rejected(f"{path.name} is not in UTF-8.") from error


def _texts(value: object) -> list[str]:
    """Return the texts of a setting that is one or a list."""
    rows = value if isinstance(value, list) else [value]
    return [str(row).strip() for row in rows if row is not None]


KINDS = {
    "prusaslicer": EngineKind(
        title="PrusaSlicer",
        hints=("prusaslicer",),
        version=re.compile("PrusaSlicer" + NAMED_VERSION),
        help="--help",
        models=(".stl", ".3mf"),
        configs=("config.ini",),
        arguments=_prusaslicer,
        results=("out.gcode",),
    ),
    "orcaslicer": EngineKind(
        title="OrcaSlicer",
        hints=("orcaslicer",),
        version=re.compile("OrcaSlicer" + NAMED_VERSION),
        help="--help",
        models=(".stl", ".3mf"),
        configs=PRESETS,
        arguments=_orcaslicer,
        results=("out/plate_1.gcode",),
    ),
    "bambustudio": EngineKind(
        title="Bambu Studio",
        hints=("bambustudio",),
        version=re.compile("Bambu ?Studio" + NAMED_VERSION),
        help="--help",
        models=(".stl", ".3mf"),
        configs=PRESETS,
        arguments=_bambustudio,
        results=("out/out.3mf", "out.3mf"),
        package="Metadata/plate_1.gcode",
    ),
    "curaengine": EngineKind(
        title="CuraEngine",
        hints=("curaengine",),
        version=re.compile(r"Cura_SteamEngine version" + NAMED_VERSION),
        help="help",
        models=(".stl",),
        configs=("settings.json",),
        arguments=_curaengine,
        results=("out.gcode",),
    ),
}


def kind_of(program: Path) -> str | None:
    """Return the kind that the name of a program states."""
    name = re.sub(r"[-_ ]", "", program.name.lower())
    return next(
        (key for key, row in KINDS.items() if any(hint in name for hint in row.hints)), None
    )
