"""Engine jobs as the platform orders them, checked before anything of them is used."""

import re
from typing import NamedTuple

from agent.engine_kinds import KINDS, check_files
from machines.drivers import NoAnswer, Rejected

JOB_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII).fullmatch
SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII).fullmatch
MAX_FILE_BYTES, MAX_OUTPUT_BYTES = 1 << 30, 4 << 30
MAX_SECONDS = 24 * 3600.0


class InvalidJob(Rejected):
    """A job that the agent does not run; `id` is the one to report it by."""

    def __init__(self, id: str, text: str):
        super().__init__(text)
        self.id = id


class JobFile(NamedTuple):
    """A file of a job: its name there, a signed URL, and what it must be."""

    name: str
    content: str
    sha256: str
    size: int


class EngineJob(NamedTuple):
    """A job for a slicer; limits in s and bytes."""

    id: str
    program: str
    model: str
    files: tuple[JobFile, ...]
    upload: str
    time_limit: float
    output_limit: int


def engine_job(row: object, programs: list[str]) -> EngineJob:
    """Return the job of an answer. Raises InvalidJob, and NoAnswer where it has no name.

    programs : kinds that the agent has
    """
    id = row.get("id") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(id, str) or not JOB_ID(id):
        raise NoAnswer("The platform's answer has no job that makes sense.")
    try:
        program, model = str(row["program"]), str(row["model"])
        files = tuple(_file(entry) for entry in row["files"])
        if program not in programs:
            raise Rejected(f"This agent has no {program[:100]!r}.")
        check_files(KINDS[program], model, [file.name for file in files])
        return EngineJob(
            id,
            program,
            model,
            files,
            str(row["upload"]),
            float(_number(row["time_limit"], MAX_SECONDS)),
            int(_number(row["output_limit"], MAX_OUTPUT_BYTES)),
        )
    except Rejected as error:
        raise InvalidJob(id, str(error)) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidJob(id, f"The job makes no sense: {error!r}.") from error


def _file(entry: dict[str, object]) -> JobFile:
    sha256 = str(entry["sha256"])
    if not SHA256(sha256):
        raise Rejected(f"{sha256[:100]!r} is no SHA-256.")
    size = entry["size"]
    if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= MAX_FILE_BYTES:
        raise Rejected(f"{size!r:.100} is no size of a file: at most {MAX_FILE_BYTES} bytes.")
    return JobFile(str(entry["name"]), str(entry["content"]), sha256, size)


def _number(value: object, maximum: float) -> float:
    """Return a limit, at most `maximum`. Raises Rejected."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1:
        raise Rejected(f"{value!r:.100} is no limit: it must be 1 at least.")
    return min(value, maximum)
