"""Engines as clients read them."""

from typing import TypedDict, cast

from apps.slicing.domain.installed_engines import InstalledEngine
from core.api.openapi.response_types import Uri
from core.text.server_paths import without_folders


class EngineAnswer(TypedDict):
    """A program that slices."""

    uri: Uri
    engine: str
    name: str
    version: str | None
    usable: bool
    reasons: list[str]
    notes: list[str]


def engine_resource(engine: InstalledEngine) -> EngineAnswer:
    """An engine of this installation; `doctor` shows the paths that are left out here."""
    fields = {name: getattr(engine, name) for name in EngineAnswer.__annotations__}
    for name in ("reasons", "notes"):
        fields[name] = [without_folders(sentence) for sentence in fields[name]]
    return cast(EngineAnswer, fields)
