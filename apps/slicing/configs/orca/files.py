"""Files of presets: one JSON, a set in a ZIP archive, or a 3MF with its project settings."""

import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import PurePosixPath
from typing import IO

from apps.slicing.configs.bundles import InvalidBundle
from apps.slicing.configs.orca.profiles import (
    ABOUT,
    Profile,
    profile_of,
    read_object,
    read_profile,
)
from apps.slicing.configs.orca.table import TWINS

MAX_FILE_BYTES = 8_000_000  # of an upload
MAX_MEMBER_BYTES = 4_000_000
MAX_UNPACKED_BYTES = 32_000_000
MAX_MEMBERS = 5_000
PROJECT = "Metadata/project_settings.config"
# Parts of a set that are no presets.
STRUCTURE = "bundle_structure.json"
ZIP_SIGNATURE = b"PK\x03\x04"
# Of a project, the setting that names the preset of each kind.
NAMES = {
    "printer": "printer_settings_id",
    "print": "print_settings_id",
    "filament": "filament_settings_id",
}


def read_profiles(content: bytes, *, filename: str = "") -> list[Profile]:
    """Return the profiles of a file of OrcaSlicer or Bambu Studio.

    content  : a `.json`, a `.orca_printer`, `.orca_filament`, `.bbscfg`, `.bbsflmt` or `.zip`, a
               `project_settings.config`, or a 3MF that has one
    filename : what a JSON without a name is called

    Raises InvalidBundle.
    """
    if len(content) > MAX_FILE_BYTES:
        title = f"The file has more than {MAX_FILE_BYTES:,} bytes."
        raise InvalidBundle("limit-exceeded", title)
    if content.startswith(ZIP_SIGNATURE):
        profiles = list(_of_archive(content))
    else:
        profiles = _of_json(content, PurePosixPath(filename).stem)
    if not profiles:
        title = "The file has no preset of a printer, a process or a filament."
        raise InvalidBundle("invalid-bundle", title)
    return profiles


def _of_json(content: bytes, stem: str) -> list[Profile]:
    data = read_object(content)
    if data.get("from") == "project" or ("printable_area" in data and "layer_height" in data):
        return _of_project(data)
    profile = read_profile(content, filename=stem)
    return [profile] if profile else []


def _of_project(data: dict[str, object]) -> list[Profile]:
    """Return the three profiles that the settings of a project are merged from."""
    profiles = []
    for kind, naming in NAMES.items():
        name = data.get(naming) or f"Project {kind}"
        name = next(iter(name), "") if isinstance(name, list) else name
        keys = {twin.key for twin in TWINS if twin.kind == kind}
        if kind == "print":  # what no preset has a twin for is listed once
            keys |= data.keys() - {twin.key for twin in TWINS}
        settings = {key: data[key] for key in sorted(keys & data.keys()) if key not in ABOUT}
        profiles.append(profile_of({**settings, "type": kind, "name": name or f"Project {kind}"}))
    return profiles


def _of_archive(content: bytes) -> Iterator[Profile]:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = archive.infolist()
            if len(members) > MAX_MEMBERS:
                title = f"The archive has more than {MAX_MEMBERS:,} files."
                raise InvalidBundle("limit-exceeded", title)
            project = next((one for one in members if one.filename == PROJECT), None)
            room = MAX_UNPACKED_BYTES
            for member in [project] if project else members:
                path = PurePosixPath(member.filename)
                if member.is_dir() or path.name == STRUCTURE:
                    continue
                if not project and path.suffix.lower() != ".json":
                    continue
                with archive.open(member) as file:
                    data = _bounded(file, path.name, room)
                room -= len(data)
                yield from _of_json(data, path.stem)
    except (
        zipfile.BadZipFile,
        RuntimeError,
        NotImplementedError,
        EOFError,
        OSError,
        zlib.error,
    ) as error:
        title = f"The archive cannot be read: {str(error)[:200]}."
        raise InvalidBundle("invalid-bundle", title) from error


def _bounded(file: IO[bytes], name: str, room: int) -> bytes:
    """Return a member of an archive, whatever size its header names. Raises InvalidBundle."""
    limit = min(room, MAX_MEMBER_BYTES)
    data = file.read(limit + 1)
    if len(data) > limit:
        title = f"{name[:100]} or the archive is too large unpacked."
        raise InvalidBundle("limit-exceeded", title)
    return data
