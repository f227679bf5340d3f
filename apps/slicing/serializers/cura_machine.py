"""Machines of Cura as clients read them."""

from typing import Annotated, TypedDict

from apps.slicing.domain.cura_machines import CuraMachine
from apps.slicing.engines.cura_stacks import MachineChoices
from core.api.openapi.response_types import Uri


class CuraVolumeAnswer(TypedDict):
    """Size of a build volume, mm."""

    x: Annotated[float, "Width, mm."]
    y: Annotated[float, "Depth, mm."]
    z: Annotated[float, "Height, mm."]


class CuraMachineAnswer(TypedDict):
    """A machine whose definition of Cura is installed."""

    uri: Uri
    identifier: Annotated[
        str, "Name of the definition: printer of POST /config/bundle/, such as creality_ender3."
    ]
    name: str
    manufacturer: Annotated[str | None, "Maker of the machine; null: unknown."]
    build_volume: Annotated[CuraVolumeAnswer | None, "Build volume, mm; null: unknown."]
    filament_diameter: Annotated[float, "Diameter of the filament, mm."]
    engine_version: Annotated[str, "Version of CuraEngine that the definition is for."]


class CuraMaterialAnswer(TypedDict):
    """A material that fits a machine and its nozzle."""

    identifier: Annotated[str, "Material of POST /config/bundle/, such as generic_pla_175."]
    name: str
    brand: Annotated[str | None, "Maker of the material; null: unknown."]
    type: Annotated[str, "Kind of plastic, such as PLA."]


class CuraQualityAnswer(TypedDict):
    """A quality for a nozzle and a material."""

    quality: Annotated[str, "Type of the quality, such as draft."]
    name: str
    layer_height: Annotated[float | None, "Layer height, mm; null: computed from other settings."]


class CuraChoicesAnswer(TypedDict):
    """What can be chosen of a machine, and what is chosen; null where there is nothing."""

    nozzles: Annotated[list[str], "Names of the nozzles."]
    materials: Annotated[list[CuraMaterialAnswer], "Materials that fit the nozzle."]
    qualities: Annotated[list[CuraQualityAnswer], "Qualities for nozzle and material."]
    intents: Annotated[list[str], "Categories of intents for the quality, such as engineering."]
    nozzle: Annotated[str | None, "Name of the nozzle."]
    material: Annotated[str | None, "Identifier of the material."]
    quality: Annotated[str | None, "Type of the quality."]


def cura_machine_resource(machine: CuraMachine) -> CuraMachineAnswer:
    """Return a machine as JSON."""
    volume = machine.build_volume
    return {
        "uri": machine.uri,
        "identifier": machine.identifier,
        "name": machine.name,
        "manufacturer": machine.manufacturer,
        "build_volume": {"x": volume[0], "y": volume[1], "z": volume[2]} if volume else None,
        "filament_diameter": machine.filament_diameter,
        "engine_version": machine.engine_version,
    }


def cura_choices_resource(choices: MachineChoices) -> CuraChoicesAnswer:
    """Return what can be chosen as JSON."""
    return {
        "nozzles": choices.nozzles,
        "materials": [
            {
                "identifier": row.identifier,
                "name": row.name,
                "brand": row.brand or None,
                "type": row.kind,
            }
            for row in choices.materials
        ],
        "qualities": [
            {"quality": row.quality, "name": row.name, "layer_height": row.layer_height}
            for row in choices.qualities
        ],
        "intents": choices.intents,
        "nozzle": choices.nozzle or None,
        "material": choices.material or None,
        "quality": choices.quality or None,
    }
