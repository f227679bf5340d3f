"""Files of presets: one JSON, a set in a ZIP archive, or a 3MF with its project settings."""

from collections.abc import Iterator
from io import BytesIO
from itertools import groupby
from operator import attrgetter
from pathlib import PurePosixPath

from apps.slicing.configs.archives import ZIP_SIGNATURE, opened
from apps.slicing.configs.bundles import InvalidBundle
from apps.slicing.configs.orca.profiles import (
    ABOUT,
    Kind,
    Profile,
    profile_of,
    read_object,
    read_profile,
)
from apps.slicing.configs.orca.table import TWINS
from apps.slicing.configs.orca.translation import GCODES

MAX_FILE_BYTES = 8_000_000  # of an upload
KEY = attrgetter("key")
PROJECT = "Metadata/project_settings.config"
# Parts of a set that are no presets.
STRUCTURE = "bundle_structure.json"
KINDS_OF_TWIN = {
    key: {twin.kind for twin in rows} for key, rows in groupby(sorted(TWINS, key=KEY), key=KEY)
}
# What of a printer is no plain twin.
OF_PRINTER = {"printable_area", "bed_exclude_area", *GCODES.values()}
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
        return project_profiles(data)
    profile = read_profile(content, filename=stem)
    return [profile] if profile else []


def project_profiles(data: dict[str, object]) -> list[Profile]:
    """Return the three profiles that the settings of a project are merged from.

    Raises InvalidBundle.
    """
    profiles = []
    for kind, naming in NAMES.items():
        name = data.get(naming) or f"Project {kind}"
        name = next(iter(name), "") if isinstance(name, list) else name
        keys = {key for key in data if kind in _kinds_of_setting(key)}
        settings = {key: data[key] for key in sorted(keys) if key not in ABOUT}
        profiles.append(profile_of({**settings, "type": kind, "name": name or f"Project {kind}"}))
    return profiles


def _kinds_of_setting(key: str) -> set[Kind]:
    """Return the kinds of the profiles that have a setting; what has no twin is listed once."""
    if kinds := KINDS_OF_TWIN.get(key):
        return kinds
    if key in OF_PRINTER or key.startswith("printer_"):
        return {"printer"}
    return {"filament" if key.startswith("filament_") else "print"}


def _of_archive(content: bytes) -> Iterator[Profile]:
    with opened(BytesIO(content)) as archive:
        project = archive.find(PROJECT)
        for name in [project] if project else archive:
            path = PurePosixPath(name)
            if path.name == STRUCTURE or not (project or path.suffix.lower() == ".json"):
                continue
            yield from _of_json(archive.read(name), path.stem)
