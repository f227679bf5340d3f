"""Engines as clients read them."""

from typing import TypedDict, cast

from apps.slicing.domain.installed_engines import InstalledEngine
from core.api.response_types import Uri


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
    """An engine of this installation."""
    told = {name: getattr(engine, name) for name in EngineAnswer.__annotations__}
    return cast(EngineAnswer, told)
