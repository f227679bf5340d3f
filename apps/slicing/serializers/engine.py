"""Engines as clients read them."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.slicing.domain.installed_engines import InstalledEngine
from apps.slicing.models import AgentEngine
from core import uris
from core.api.openapi.response_types import Uri
from core.text.server_paths import without_folders


class EngineAnswer(TypedDict):
    """A program that slices, of this installation or of a shop's agent."""

    uri: Uri
    engine: str
    name: str
    version: str | None
    usable: bool
    reasons: list[str]
    notes: list[str]
    in_shop: Annotated[bool, "Whether the agent of a shop runs it."]
    program: str | None
    origin: Annotated[
        str | None,
        "Origin of the presets that it slices, by profiles of its own; null: it slices any config.",
    ]
    bureau: Annotated[Uri | None, "Bureau whose agent runs it."]
    agent: Annotated[Uri | None, "Agent that runs it."]
    isolation: Annotated[
        str | None, "How it is confined in the shop: bubblewrap, namespaces or limits."
    ]
    seen: Annotated[datetime | None, "When its agent last reported it."]


def engine_resource(engine: InstalledEngine | AgentEngine) -> EngineAnswer:
    """An engine of this installation or of a shop; `doctor` shows the paths left out here."""
    if isinstance(engine, AgentEngine):
        return _shop_engine(engine)
    return {
        "uri": engine.uri,
        "engine": engine.engine,
        "name": engine.name,
        "version": engine.version,
        "usable": engine.usable,
        "reasons": [without_folders(sentence) for sentence in engine.reasons],
        "notes": [without_folders(sentence) for sentence in engine.notes],
        "in_shop": False,
        "program": None,
        "origin": None,
        "bureau": None,
        "agent": None,
        "isolation": None,
        "seen": None,
    }


def _shop_engine(row: AgentEngine) -> EngineAnswer:
    return {
        "uri": row.uri,
        "engine": row.engine,
        "name": row.name,
        "version": row.version,
        "usable": row.usable,
        "reasons": row.reasons,
        "notes": row.notes,
        "in_shop": True,
        "program": row.program,
        "origin": row.origin,
        "bureau": uris.uri_of("erp", "bureau", row.bureau),
        "agent": uris.uri_of("erp", "agent", row.agent),
        "isolation": row.isolation,
        "seen": row.seen,
    }
