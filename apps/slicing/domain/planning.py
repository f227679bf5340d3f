"""Slicing plan: orientation, placement and settings, before the engine runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import NamedTuple

from apps.slicing.domain.agent_engines import adapter_of
from apps.slicing.domain.installed_engines import installed_engines, settings_of
from apps.slicing.engines import bed_placement
from apps.slicing.engines.base import PIPELINE_VERSION, Engine, SliceFailed
from apps.slicing.models import AgentEngine, Config, EngineName, Slice
from apps.warehouse.interface import StoredModel
from core.errors import ErrorEntry, error_entry
from geometry.bed_shape import centred_corner


@dataclass(frozen=True)
class Plan:
    """Input of a slice.

    turned   : rotated by 90 degrees about z, since the model fits only so
    shop     : the slicer in a shop that makes it; None: the engine of the platform
    key      : equal for slices with equal gcode
    warnings : entries that the slice will have
    """

    engine: Engine
    version: str
    settings: Mapping[str, str]
    turned: bool
    key: str
    warnings: list[ErrorEntry]
    shop: AgentEngine | None = None


class Where(Enum):
    """Who slices: by default the slicer in a shop that the config has, while it is online."""

    ANY = "any"
    PLATFORM = "platform"
    SHOP = "shop"


class _Chosen(NamedTuple):
    engine: Engine
    version: str
    shop: AgentEngine | None
    warnings: list[ErrorEntry]

    @property
    def decisive(self) -> list[str]:
        """What tells its G-code from that of others; a shop's is for its own bureau alone."""
        own = [self.engine.identifier, self.version]
        return [*own, self.shop.program, str(self.shop.bureau)] if self.shop else own


def _chosen(config: Config, where: Where, *, plate: bool = False) -> _Chosen:
    """Return what slices. Raises SliceFailed."""
    warnings = _config_warnings(config)
    shop = config.agent_engine
    if plate and shop is not None and shop.engine == EngineName.CURA:
        # The command line of agents takes one mesh.
        title = f"{shop} slices single parts: the plate is sliced by the engine of the platform."
        warnings = [*warnings, error_entry("sliced-by-platform", title)]
    elif shop is not None:
        if where is Where.SHOP or (where is Where.ANY and shop.is_online):
            engine = adapter_of(shop, config)
            estimates = [] if shop.has_own_profiles else warnings
            return _Chosen(engine, shop.version, shop, estimates)
        warnings = [*warnings, _offline(shop)]
    engine = installed_engines()[config.engine]
    version = engine.version()
    if version is None:
        raise SliceFailed("engine-not-installed", engine.missing())
    return _Chosen(engine, version, None, [*warnings, *_engine_warnings(engine)])


def _offline(shop: AgentEngine) -> ErrorEntry:
    title = (
        f"{shop} did not make it: it is offline, or did not answer in time. It is sliced by the "
        "engine of the platform instead."
    )
    return error_entry("shop-engine-offline", title)


def plan(model: StoredModel, config: Config, where: Where = Where.ANY) -> Plan:
    """How a judged model would be sliced. Raises SliceFailed where that must fail."""
    if model.sha256 is None or model.size is None:
        words = " ".join(fault["title"] for fault in model.errors)
        title = f"The model cannot be sliced: {words or model.status}"
        raise SliceFailed("model-not-usable", title)
    chosen = _chosen(config, where)
    engine, settings = chosen.engine, settings_of(config)
    margin = engine.margin(settings)
    turned = bed_placement.must_turn(
        model.size, bed=engine.bed(settings), margin=margin, may_turn=model.may_rotate
    )
    # What decides every byte of the gcode.
    decisive = [model.sha256, turned, *chosen.decisive, settings, PIPELINE_VERSION]
    key = json.dumps(decisive, sort_keys=True)
    return Plan(
        engine=engine,
        version=chosen.version,
        settings=settings,
        turned=turned,
        key=sha256(key.encode()).hexdigest(),
        warnings=[*chosen.warnings, *_warnings(model, turned=turned)],
        shop=chosen.shop,
    )


def plan_plate(row: Slice, where: Where = Where.ANY) -> Plan:
    """How a packed run would be sliced. Raises SliceFailed where that must fail."""
    chosen = _chosen(row.config, where, plate=True)
    settings = settings_of(row.config)
    pieces: list[list[object]] = []
    for piece in row.build["pieces"]:
        own = piece.get("settings")
        pieces.append([piece["name"], piece["sha256"], piece["transform"], *([own] if own else [])])
    about = [row.build["build"], row.build["firmware"], pictures_of(row.config)]
    decisive = [pieces, about, *chosen.decisive, settings, PIPELINE_VERSION]
    key = sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    return Plan(
        engine=chosen.engine,
        version=chosen.version,
        settings=settings,
        turned=False,
        key=key,
        warnings=chosen.warnings,
        shop=chosen.shop,
    )


def origin_of(row: Slice, planned: Plan) -> tuple[float, float]:
    """Return the position of a packed build's corner on the bed, mm."""
    width, depth, _ = row.build["build"]
    return centred_corner(planned.engine.bed(planned.settings).corners, width, depth)


def pictures_of(config: Config) -> list[str]:
    """The sizes of the pictures that a printer shows of a gcode."""
    return (config.preset or {}).get("thumbnails", [])


def _config_warnings(config: Config) -> list[ErrorEntry]:
    if not config.estimate_only:
        return []
    title = (
        "It is an estimate, and its G-code is not handed out: the presets have no start and end "
        "G-code of their printer. To print, confirm both: GET /preset/<uuid>/gcode-proposal/ "
        "shows them."
    )
    return [error_entry("estimate-only", title)]


def _engine_warnings(engine: Engine) -> list[ErrorEntry]:
    note = engine.note()
    return [error_entry("engine-not-tested", note)] if note else []


def _warnings(model: StoredModel, *, turned: bool) -> list[ErrorEntry]:
    found = []
    if not model.manifold:
        title = (
            "The model is not manifold: the engine closes it as well as it can. Look at the "
            "layers before you print."
        )
        found.append(error_entry("model-not-manifold", title))
    if turned:
        title = (
            "The model fits onto the bed only turned by 90 degrees about the vertical, which its "
            "allowed_transformations permit: it is sliced so."
        )
        found.append(error_entry("model-turned", title))
    return found
