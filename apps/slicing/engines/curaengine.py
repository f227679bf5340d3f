"""CuraEngine adapter."""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from apps.slicing.configs.base import RawConfig
from apps.slicing.configs.cura import CuraValue
from apps.slicing.configs.parameters import LAYER_HEIGHTS, effective
from apps.slicing.engines import (
    bed_placement,
    cura_machines,
    cura_raw,
    cura_settings,
    cura_stacks,
    plate,
)
from apps.slicing.engines.base import (
    Bed,
    EngineLimits,
    Outcome,
    PlateObject,
    Progress,
    SettingsError,
    Sliced,
    SliceFailed,
)
from apps.slicing.engines.cura_machines import Machine
from apps.slicing.engines.cura_output import Listener, failure_of, replace_header
from apps.slicing.engines.cura_raw import PrintOptions
from apps.slicing.engines.cura_stacks import MachineChoices, Stack
from apps.slicing.engines.engine_process import ENVIRONMENT
from apps.slicing.engines.plate import Standing
from apps.slicing.engines.self_test import SelfTested
from apps.slicing.engines.thumbnails import comments
from gcode import Figures, label, mark_meshes

BINARY = "CuraEngine"
SKIRT_MARGIN = 10.0  # mm, around support that stands out itself
VOLUMETRIC = ("UltiGCode", "RepRap (Volumetric)")  # flavours whose E is a volume

# Settings that say how far adhesion goes beyond an object, by its type.
REACHES = {"brim": "brim_width", "raft": "raft_margin"}

BASE: dict[str, CuraValue] = {
    "machine_name": "Printer",
    "machine_heated_bed": True,
    "machine_gcode_flavor": "RepRap (Marlin/Sprinter)",
    "machine_start_gcode": "G21\nG90\nM82\nG28",
    "machine_end_gcode": "M104 S0\nM140 S0\nM107\nG91\nG1 Z5 F600\nG90\nG28 X0 Y0\nM84",
    "machine_acceleration": 1500,
    "machine_max_acceleration_x": 9000,
    "machine_max_acceleration_y": 9000,
    "machine_max_acceleration_z": 500,
    "machine_max_acceleration_e": 10000,
    "machine_max_feedrate_x": 500,
    "machine_max_feedrate_y": 500,
    "machine_max_feedrate_z": 12,
    "machine_max_feedrate_e": 120,
    "machine_max_jerk_xy": 10,
    "machine_max_jerk_z": 0.4,
    "machine_max_jerk_e": 2.5,
    "skirt_line_count": 1,
    "skirt_gap": 3,
    "skirt_brim_minimal_length": 0,
    "retraction_amount": 2,
    "retraction_speed": 40,
    "speed_travel": 150,
    "support_angle": 50,  # degrees from upright: chamfers of 45 stand alone
    "support_interface_enable": True,
    "support_z_distance": 0.2,
    "raft_margin": 15,
    "cool_min_layer_time": 5,
    "center_object": False,  # it would drop the model to z = 0 twice
}


class CuraEngine(SelfTested):
    """The `cura` engine."""

    identifier = "cura"
    name = "CuraEngine"
    tested = ("4.13.0", "5.0.0")

    def __init__(self, definitions: Path, bed: Bed | None = None, facts: Path | None = None):
        """definitions : the folder that bin/install-cura-definitions filled"""
        self.definitions = definitions
        self.facts = facts
        self._bed = bed or Bed()

    def program(self) -> Path | None:
        binary = shutil.which(BINARY)
        return Path(binary) if binary else None

    def program_version(self) -> str | None:
        return _version(shutil.which(BINARY))

    def obstacle(self) -> str | None:
        version = self.program_version()
        if version is None:
            return "CuraEngine is not installed on this server: install Debian's cura-engine."
        try:
            _definitions(self.definitions, version)
        except SettingsError as error:
            return str(error)
        return None

    def settings(self, parameters: Mapping) -> dict[str, str]:
        """Raises SettingsError, and SliceFailed where version() is None."""
        return cura_settings.resolve(self._known(), self._chosen(parameters))

    def _chosen(self, parameters: Mapping) -> dict[str, CuraValue]:
        values = effective(parameters)
        height, nozzle = LAYER_HEIGHTS[values["print_quality"]], values["nozzle_diameter"]
        infill_speed, perimeter_speed = values["infill_speed"], values["perimeter_speed"]
        nozzle_temperature, density = values["extruder_temperature"], values["infill_density"]
        chosen = {
            "machine_width": self._bed.width,
            "machine_depth": self._bed.depth,
            "machine_height": self._bed.height,
            "layer_height": height,
            "layer_height_0": min(max(height, 0.2), 0.75 * nozzle),
            "machine_nozzle_size": nozzle,
            "line_width": nozzle,
            "material_diameter": values["filament_diameter"],
            "material_print_temperature": nozzle_temperature,
            "material_print_temperature_layer_0": nozzle_temperature,
            "material_initial_print_temperature": nozzle_temperature,
            "material_final_print_temperature": nozzle_temperature,
            "material_bed_temperature": values["bed_temperature"],
            "material_bed_temperature_layer_0": values["bed_temperature"],
            "cool_fan_enabled": values["material"] == "PLA",  # ABS warps in a draught
            "wall_line_count": values["perimeters"],
            "wall_thickness": values["perimeters"] * nozzle,
            "infill_sparse_density": density,
            "infill_pattern": "grid" if density < 100 else "lines",
            "speed_print": infill_speed,
            "speed_infill": infill_speed,
            "speed_topbottom": infill_speed,
            "speed_roofing": 0.6 * infill_speed,
            "speed_wall_x": perimeter_speed,
            "speed_wall_0": perimeter_speed / 2,
            "speed_layer_0": min(30.0, perimeter_speed, infill_speed),
            "speed_support": 60.0,
            "support_enable": values["support"],
            "adhesion_type": "raft" if values["raft"] else "skirt",
        }
        return BASE | chosen

    def read_raw(self, content: str) -> RawConfig:
        return cura_raw.work_out(content, self._known(), self._chosen({}))

    def with_options(self, content: str, options: PrintOptions) -> dict[str, str]:
        """Return the settings of a raw config with other print options.

        Raises RawConfigErrors, and SliceFailed where version() is None.
        """
        own = cura_raw.with_options(content, self._known(), options)
        return self.read_raw(self.config_text(own)).settings

    def machines(self) -> dict[str, Machine]:
        """Return the machines whose definitions are installed, by their identifiers."""
        return cura_machines.machines(self._folder())

    def stack(self, identifier: str, **choices: str) -> Stack:
        """Return a machine with profiles, see `resolve_stack`. Raises SettingsError."""
        return cura_stacks.resolve_stack(self._folder(), identifier, self._known(), **choices)

    def choices(self, identifier: str, **chosen: str) -> MachineChoices:
        """Return what can be chosen of a machine, see `resolve_choices`. Raises SettingsError."""
        return cura_stacks.resolve_choices(self._folder(), identifier, self._known(), **chosen)

    def _folder(self) -> Path:
        return self.definitions / str(self.program_version())

    def bed(self, settings: Mapping[str, str]) -> Bed:
        width, depth, height = (float(settings[side]) for side in cura_raw.SIDES)
        if settings["machine_center_is_zero"] == "true":
            return Bed(width, depth, height, -width / 2, -depth / 2)
        return Bed(width, depth, height)

    def start_gcode(self, settings: Mapping[str, str]) -> str:
        return settings["machine_start_gcode"]

    def on_bed(self, settings: Mapping[str, str], bed: Bed) -> dict[str, str]:
        """The origin stays where it is: at a corner, or in the middle."""
        return {
            **settings,
            **dict(zip(cura_raw.SIDES, map(cura_settings.to_text, bed[:3]), strict=True)),
        }

    def config_text(self, settings: Mapping[str, str]) -> str:
        r"""Lines of `key=value`; a line end inside a value is written \n."""
        lines = (f"{key}={_escaped(value)}\n" for key, value in settings.items())
        return "".join(lines)

    def margin(self, settings: Mapping[str, str]) -> float:
        raft = settings.get("adhesion_type") == "raft"
        return float(settings["raft_margin"]) if raft else 0.0

    def reach(self, settings: Mapping[str, str]) -> float:
        adhesion = settings.get("adhesion_type", "")
        around = float(settings.get(REACHES.get(adhesion, ""), "0"))
        support = plate.SUPPORT_REACH if settings.get("support_enable") == "true" else 0.0
        return max(around, support)

    def slice(
        self,
        stl: Path,
        settings: Mapping[str, str],
        folder: Path,
        *,
        limits: EngineLimits,
        turned: bool = False,
        progress: Progress | None = None,
    ) -> Sliced:
        bed = self.bed(settings)
        path = folder / "model.stl"  # the engine itself moves it to the middle of the bed
        centre = (0.0, 0.0)
        margin = self.margin(settings)
        model = bed_placement.place(stl, path, bed=bed, centre=centre, margin=margin, turned=turned)
        x, y, z = model.size
        model = model._replace(size=(x, y, z * _shrinkage(settings, "z")))
        if settings.get("adhesion_type") != "raft" and not bed_placement.has_room(
            model, bed, SKIRT_MARGIN
        ):
            settings = {**settings, "adhesion_type": "none"}
        gcode, outcome, seconds = self._run(
            [model.path], settings, folder, limits=limits, progress=progress
        )
        facts = _checked(gcode, model, bed, settings, outcome.log)
        return Sliced(gcode, outcome.seconds, seconds, facts, outcome.log)

    def slice_plate(
        self,
        objects: Sequence[PlateObject],
        settings: Mapping[str, str],
        folder: Path,
        *,
        limits: EngineLimits,
        firmware: str | None = None,
        thumbnails: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> Sliced:
        bed = self.bed(settings)
        scene: list[NDArray[np.float32]] | None = [] if thumbnails else None
        # The engine moves the origin of the meshes to the middle of the bed.
        standing = plate.write_meshes(objects, folder, origin=bed.centre, scene=scene)
        reaches = [self.reach({**settings, **one.settings}) for one in standing]
        plate.check_places(standing, bed, reaches, may_meet=True)
        settings = {**settings, "print_sequence": "all_at_once"}
        if settings.get("adhesion_type") != "raft" and not plate.has_room(
            standing, bed, SKIRT_MARGIN
        ):
            settings["adhesion_type"] = "none"
        files = {f"{one.name}{plate.STL}": one.name for one in objects}
        plain, outcome, seconds = self._run(
            [folder / name for name in files],
            settings,
            folder,
            limits=limits,
            progress=progress,
            own=[one.settings for one in objects],
        )
        visited, gcode = folder / "visited.gcode", folder / "labelled.gcode"
        mark_meshes(plain, visited, files)
        plain.unlink()
        standing = _as_printed(standing, settings)
        firmware = plate.firmware_of(settings, firmware)
        pictures = comments(thumbnails, scene or ())
        label(visited, gcode, plate.labelled(standing), firmware=firmware, head=pictures)
        visited.unlink()
        top = max(one.box[1, 2] for one in standing)
        model = bed_placement.Model(gcode, (0.0, 0.0, float(top)))
        facts = _checked(gcode, model, bed, settings, outcome.log)
        made = plate.PlateGcode(gcode, facts, seconds, volumetric=_is_volumetric(settings))
        used = plate.usage_of(made, standing, reaches)
        return Sliced(gcode, outcome.seconds, seconds, facts, outcome.log, used)

    def _run(
        self,
        meshes: Sequence[Path],
        settings: Mapping[str, str],
        folder: Path,
        *,
        limits: EngineLimits,
        progress: Progress | None,
        own: Sequence[Mapping[str, str]] = (),
    ) -> tuple[Path, Outcome, float | None]:
        """Slice meshes together: the G-code, how the engine ended, and the print time it states.

        own : settings of each mesh, where they have any
        """
        binary = shutil.which(BINARY)
        if binary is None:
            raise SliceFailed("engine-not-installed", self.missing())
        sliced = folder / "sliced.gcode"
        command = [binary, "slice", "-v", "-p", *_arguments(settings), "-o", sliced.name]
        for number, mesh in enumerate(meshes):
            command += ["-l", mesh.name, *_arguments(own[number] if own else {})]
        listener = Listener()
        outcome = self.runner(
            command, folder, limits=limits, on_line=listener.hear, progress=progress
        )
        if outcome.status:
            raise failure_of(outcome.log)
        gcode = folder / "out.gcode"
        if sliced.exists():
            replace_header(sliced, gcode, listener.header)
        return gcode, outcome, listener.print_time

    def _known(self) -> dict[str, cura_settings.Definition]:
        """All settings of the installed version. Raises SliceFailed."""
        if obstacle := self.obstacle():
            raise SliceFailed("engine-not-installed", obstacle)
        return _definitions(self.definitions, self.program_version())


@cache
def _version(binary: str | None) -> str | None:
    if binary is None:
        return None
    # a program found on our own path, with fixed arguments; it prints to stderr
    help_text = subprocess.run(  # noqa: S603
        [binary, "help"], capture_output=True, text=True, timeout=60, env=ENVIRONMENT, check=False
    ).stderr
    match = re.search(r"version (\d+\.\d+\.\d+)", help_text)
    return match[1] if match else None


@cache
def _definitions(folder: Path, version: str | None) -> dict[str, cura_settings.Definition]:
    return cura_settings.load(folder, version or "")


def _shrinkage(settings: Mapping[str, str], axes: str) -> float:
    """The factor by which the engine scales meshes, for a material that shrinks; axes : xy or z."""
    every = settings.get("material_shrinkage_percentage", "100")
    return float(settings.get(f"material_shrinkage_percentage_{axes}", every)) / 100


def _as_printed(standing: Sequence[Standing], settings: Mapping[str, str]) -> list[Standing]:
    """Return where objects are in the G-code.

    They are scaled about their middle for a material that shrinks, and moved by the place of a
    nozzle that is not in the middle of the head.
    """
    flat, upright = _shrinkage(settings, "xy"), _shrinkage(settings, "z")
    moved = settings.get("machine_use_extruder_offset_to_offset_coords") == "true"
    nozzle = [float(settings.get(f"machine_nozzle_offset_{axis}", "0")) * moved for axis in "xy"]
    if flat == upright == 1.0 and not any(nozzle):
        return list(standing)
    boxes = np.array([one.box for one in standing])  # (n, 2, 3)
    middle = (boxes.min(axis=(0, 1)) + boxes.max(axis=(0, 1))) / 2
    middle[2] = 0.0
    factors = np.array([flat, flat, upright])
    shifted = middle - [*nozzle, 0.0]
    return [
        one._replace(
            box=shifted + (one.box - middle) * factors,
            hull=shifted[:2] + (one.hull - middle[:2]) * flat,
        )
        for one in standing
    ]


def _checked(
    gcode: Path, model: bed_placement.Model, bed: Bed, settings: Mapping[str, str], log: str
) -> Figures:
    """The figures of what was written. Raises SliceFailed."""
    start = settings["machine_start_gcode"]
    starts_as_usual = start == BASE["machine_start_gcode"]
    return bed_placement.check(
        gcode,
        model,
        bed=bed,
        filament_diameter=float(settings["material_diameter"]),
        log=log,
        around=bed_placement.ON_BED if starts_as_usual else bed_placement.reachable(start, bed),
        volumetric=_is_volumetric(settings),
    )


def _is_volumetric(settings: Mapping[str, str]) -> bool:
    return settings["machine_gcode_flavor"] in VOLUMETRIC


def _arguments(settings: Mapping[str, str]) -> list[str]:
    """Settings as the engine reads them on its command line."""
    return [text for key, value in settings.items() for text in ("-s", f"{key}={value}")]


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")
