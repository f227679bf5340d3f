"""Machines of Cura whose definitions are installed."""

from dataclasses import dataclass
from functools import lru_cache
from uuid import NAMESPACE_URL, UUID, uuid5

from apps.slicing.domain.installed_engines import curaengine
from apps.slicing.engines.cura_machines import Machine
from core.resources import HasUri


@dataclass(frozen=True, eq=False)
class CuraMachine(HasUri):
    """A machine as users see it; its key is of its identifier.

    manufacturer      : None where it is unknown
    build_volume      : x, y, z, mm; None where the definition has none
    filament_diameter : mm
    """

    SERVICE = "slicing"
    KIND = "cura-machine"

    uuid: UUID
    identifier: str
    name: str
    manufacturer: str | None
    build_volume: tuple[float, float, float] | None
    filament_diameter: float
    engine_version: str


def cura_machines() -> tuple[CuraMachine, ...]:
    """Return all machines; none where CuraEngine is not offered."""
    engine = curaengine()
    version = engine.version()
    return _listed(tuple(engine.machines().values()), version) if version else ()


@lru_cache(maxsize=2)
def _listed(machines: tuple[Machine, ...], version: str) -> tuple[CuraMachine, ...]:
    return tuple(
        CuraMachine(
            uuid5(NAMESPACE_URL, f"cura-machine\n{row.identifier}"),
            row.identifier,
            row.name,
            row.manufacturer or None,
            row.size,
            row.diameter,
            version,
        )
        for row in machines
    )
