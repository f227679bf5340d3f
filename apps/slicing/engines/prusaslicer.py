"""PrusaSlicer adapter."""

import math
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from apps.slicing.configs import slic3r
from apps.slicing.configs.base import RawConfig
from apps.slicing.configs.capabilities import Capabilities
from apps.slicing.configs.parameters import LAYER_HEIGHTS, effective
from apps.slicing.engines import bed_placement, installed, plate
from apps.slicing.engines.base import (
    Bed,
    EngineLimits,
    Outcome,
    PlateObject,
    Progress,
    Sliced,
    SliceFailed,
)
from apps.slicing.engines.bed_placement import Around
from apps.slicing.engines.prusaslicer_errors import PROGRESS, failure
from apps.slicing.engines.self_test import SelfTested
from apps.slicing.engines.thumbnails import comments
from gcode import FILAMENT_JERK, Figures, MachineLimits, label
from geometry.bed_shape import is_box

BINARY = "prusa-slicer"
SKIRT_MARGIN = 10.0  # mm that a skirt takes at least, around support that stands out itself
RAFT_REACH = 7.5  # mm that a raft goes beyond an object: 7.2 were measured around a wall of 1 mm
TAIL_BYTES = 64 << 10  # of the gcode, in which the engine's estimate stands

ESTIMATE = re.compile(
    rb"; estimated printing time \(normal mode\) = (?:(\d+)d )?(?:(\d+)h )?(?:(\d+)m )?(\d+)s"
)
UNIT_SECONDS = (86400, 3600, 60, 1)

BASE = {
    "gcode_flavor": "marlin",
    "start_gcode": "G28",
    "end_gcode": r"M104 S0\nM140 S0\nM107\nG91\nG1 Z5 F600\nG90\nG28 X0 Y0\nM84",
    "start_filament_gcode": '""',
    "end_filament_gcode": '""',
    "use_relative_e_distances": "0",
    "machine_limits_usage": "time_estimate_only",
    "machine_max_acceleration_extruding": "1500",
    "machine_max_acceleration_retracting": "1500",
    "machine_max_acceleration_travel": "1500",
    "machine_max_acceleration_x": "9000",
    "machine_max_acceleration_y": "9000",
    "machine_max_acceleration_z": "500",
    "machine_max_acceleration_e": "10000",
    "machine_max_feedrate_x": "500",
    "machine_max_feedrate_y": "500",
    "machine_max_feedrate_z": "12",
    "machine_max_feedrate_e": "120",
    "machine_max_jerk_x": "10",
    "machine_max_jerk_y": "10",
    "machine_max_jerk_z": "0.4",
    "machine_max_jerk_e": "2.5",
    "skirts": "1",
    "skirt_distance": "3",
    "min_skirt_length": "0",
    "brim_type": "no_brim",
    "retract_length": "2",
    "retract_speed": "40",
    "travel_speed": "150",
    "support_material_with_sheath": "0",
    "support_material_interface_layers": "2",
    "support_material_threshold": "40",  # degrees from the bed: chamfers of 45 stand alone
    "disable_fan_first_layers": "1",
    "slowdown_below_layer_time": "5",
}


class PrusaSlicer(SelfTested):
    """The `slic3r` engine."""

    identifier = "slic3r"
    name = "PrusaSlicer"
    tested = ("2.5.0", "2.9.2", "2.9.6")

    def __init__(self, bed: Bed | None = None, facts: Path | None = None):
        """Offer the PrusaSlicer that is found on PATH.

        bed   : the build volume where a config has none
        facts : the folder of `engine_cache`, for what is read of the program
        """
        self.facts = facts
        self._bed = bed or Bed()

    def program(self) -> Path | None:
        binary = shutil.which(BINARY)
        return Path(binary) if binary else None

    def program_version(self) -> str | None:
        known = self._known()
        return known.version if known else None

    def obstacle(self) -> str | None:
        if self.program_version():
            return None
        return "PrusaSlicer is not installed on this server: install Debian's package prusa-slicer."

    def defaults(self) -> dict[str, str]:
        """Every setting that the installed version knows, with the value it has by itself.

        Raises SliceFailed where version() is None.
        """
        return dict(self.capabilities().defaults)

    def capabilities(self) -> Capabilities:
        """What the installed version knows. Raises SliceFailed where there is none."""
        known = self._known()
        if known is None:
            raise SliceFailed("engine-not-installed", str(self.obstacle()))
        return known

    def _known(self) -> Capabilities | None:
        program = self.program()
        return installed.read(program, self.facts) if program else None

    def settings(self, parameters: Mapping) -> dict[str, str]:
        values = effective(parameters)
        height, nozzle = LAYER_HEIGHTS[values["print_quality"]], values["nozzle_diameter"]
        solid_layers = str(math.ceil(0.8 / height - 1e-9))
        infill_speed, perimeter_speed = values["infill_speed"], values["perimeter_speed"]
        nozzle_temperature = str(round(values["extruder_temperature"]))
        bed_temperature = str(round(values["bed_temperature"]))
        fan = "100" if values["material"] == "PLA" else "0"  # ABS warps in a draught
        chosen = {
            **self.on_bed({}, self._bed),
            "layer_height": _number(height),
            "first_layer_height": _number(min(max(height, 0.2), 0.75 * nozzle)),
            "nozzle_diameter": _number(nozzle),
            "extrusion_width": _number(1.125 * nozzle),
            "first_layer_extrusion_width": _number(1.125 * nozzle),
            "filament_diameter": _number(values["filament_diameter"]),
            "filament_type": values["material"],
            "filament_density": "1.24" if values["material"] == "PLA" else "1.04",
            "temperature": nozzle_temperature,
            "first_layer_temperature": nozzle_temperature,
            "bed_temperature": bed_temperature,
            "first_layer_bed_temperature": bed_temperature,
            "cooling": "1",
            "fan_always_on": "1" if values["material"] == "PLA" else "0",
            "min_fan_speed": fan,
            "max_fan_speed": fan,
            "bridge_fan_speed": fan,
            "perimeters": str(values["perimeters"]),
            "top_solid_layers": solid_layers,
            "bottom_solid_layers": solid_layers,
            "fill_density": _number(values["infill_density"]) + "%",
            "fill_pattern": "grid" if values["infill_density"] < 100 else "rectilinear",
            "infill_speed": _number(infill_speed),
            "solid_infill_speed": _number(infill_speed),
            "top_solid_infill_speed": "60%",
            "gap_fill_speed": _number(min(20.0, perimeter_speed)),
            "bridge_speed": _number(min(60.0, perimeter_speed)),
            "perimeter_speed": _number(perimeter_speed),
            "external_perimeter_speed": "50%",
            "small_perimeter_speed": "50%",
            "first_layer_speed": _number(min(30.0, perimeter_speed, infill_speed)),
            "max_print_speed": _number(max(80.0, perimeter_speed, infill_speed)),
            "support_material": "1" if values["support"] else "0",
            "raft_layers": "3" if values["raft"] else "0",
        }
        return dict(sorted((BASE | chosen).items()))

    def read_raw(self, content: str) -> RawConfig:
        known = self.capabilities()
        return slic3r.read(content, defaults=known.defaults, own=self.settings({}), known=known)

    def bed(self, settings: Mapping[str, str]) -> Bed:
        outline = slic3r.bed_outline(settings["bed_shape"])
        if outline is None:
            return self._bed
        left, front, right, back = slic3r.bounds_of(outline)
        odd = () if is_box(outline) else tuple(outline)
        height = float(settings["max_print_height"])
        return Bed(right - left, back - front, height, left, front, odd)

    def start_gcode(self, settings: Mapping[str, str]) -> str:
        return settings["start_gcode"]

    def on_bed(self, settings: Mapping[str, str], bed: Bed) -> dict[str, str]:
        shape = ",".join(f"{x:g}x{y:g}" for x, y in bed.corners)
        return {**settings, "bed_shape": shape, "max_print_height": _number(bed.height)}

    def config_text(self, settings: Mapping[str, str]) -> str:
        """Lines of `key = value`."""
        return "".join(f"{key} = {value}\n" for key, value in settings.items())

    def margin(self, settings: Mapping[str, str]) -> float:
        return RAFT_REACH if settings.get("raft_layers", "0") != "0" else 0.0

    def reach(self, settings: Mapping[str, str]) -> float:
        def number(name: str) -> float:
            return float(settings.get(name, "0").split(",")[0].rstrip("%") or 0)

        raft = RAFT_REACH if number("raft_layers") > 0 else 0.0
        support = plate.SUPPORT_REACH if settings.get("support_material") == "1" else 0.0
        brim = number("brim_width") if settings.get("brim_type") != "no_brim" else 0.0
        return max(raft, support, brim)

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
        self.capabilities()  # raises where it is not installed
        bed = self.bed(settings)
        path = folder / "model.stl"
        margin = self.margin(settings)
        model = bed_placement.place(
            stl, path, bed=bed, centre=bed.centre, margin=margin, turned=turned
        )
        if not bed_placement.has_room(model, bed, _skirt_reach(settings, self.reach(settings))):
            settings = {**settings, "skirts": "0"}
        if bed.outline and not bed_placement.has_room(model, bed, plate.EDGE):
            settings = {**settings, "bed_shape": plate.widened(bed)}
        gcode, outcome = self._run(model.path, settings, limits=limits, progress=progress)
        facts = _checked(gcode, model, bed, settings, outcome.log)
        return Sliced(gcode, outcome.seconds, self.stated_seconds(gcode), facts, outcome.log)

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
        labels = self.capabilities().words.get("gcode_label_objects", ("1",))
        style = "octoprint" if "octoprint" in labels else "1"
        bed = self.bed(settings)
        settings = {**settings, "gcode_label_objects": style, "complete_objects": "0"}
        # Of a single object the engine takes the file's name for its own.
        name = objects[0].name if len(objects) == 1 else "plate"
        package = folder / f"{name}.3mf"
        scene: list[NDArray[np.float32]] | None = [] if thumbnails else None
        standing = plate.write_plate(objects, package, scene)
        reaches = [self.reach({**settings, **one.settings}) for one in standing]
        plate.check_places(standing, bed, reaches)
        if not plate.has_room(standing, bed, _skirt_reach(settings, self.reach(settings))):
            settings["skirts"] = "0"
        if bed.outline and not plate.has_room(standing, bed, plate.EDGE):
            settings["bed_shape"] = plate.widened(bed)
        plain, outcome = self._run(package, settings, limits=limits, progress=progress)
        gcode = folder / "labelled.gcode"
        firmware = plate.firmware_of(settings, firmware)
        pictures = comments(thumbnails, scene or ())
        label(plain, gcode, plate.labelled(standing), firmware=firmware, head=pictures)
        plain.unlink()
        top = max(one.box[1, 2] for one in standing)
        model = bed_placement.Model(package, (0.0, 0.0, float(top)))
        facts = _checked(gcode, model, bed, settings, outcome.log)
        seconds = self.stated_seconds(gcode)
        density = (slic3r.numbers(settings.get("filament_density", "")) or [0.0])[0] or None
        limited, volumetric = machine_limits(settings), _is_volumetric(settings)
        made = plate.PlateGcode(gcode, facts, seconds, density, limited, volumetric)
        objects_used = plate.usage_of(made, standing, reaches)
        return Sliced(gcode, outcome.seconds, seconds, facts, outcome.log, objects_used)

    def write_config(self, settings: Mapping[str, str], folder: Path) -> None:
        """Write the files that the program reads its settings from."""
        (folder / "config.ini").write_text(self.config_text(settings), encoding="utf-8")

    def stated_seconds(self, gcode: Path) -> float | None:
        """Return the print time that the program states at the end of its G-code, s."""
        with gcode.open("rb") as file:
            file.seek(max(0, gcode.stat().st_size - TAIL_BYTES))
            match = ESTIMATE.search(file.read())
        if match is None:
            return None
        parts = zip(match.groups(), UNIT_SECONDS, strict=True)
        return float(sum(int(count or 0) * seconds for count, seconds in parts))

    def _run(
        self,
        model: Path,
        settings: Mapping[str, str],
        *,
        limits: EngineLimits,
        progress: Progress | None,
    ) -> tuple[Path, Outcome]:
        """Slice the file `model` in its folder; the gcode, and how the engine ended."""
        folder, binary = model.parent, str(shutil.which(BINARY))
        self.write_config(settings, folder)
        gcode = folder / "out.gcode"
        # Into a pipe it would tell its progress all at once, at the end.
        by_line = [shutil.which("stdbuf") or "/usr/bin/stdbuf", "-oL"]
        command = [*by_line, binary, "--export-gcode", "--dont-arrange"]
        command += ["--datadir", "data"]
        # Else a word that it does not know is another one, and only its log says so.
        command += ["--config-compatibility", "disable"]
        command += ["--load", "config.ini", "--output", gcode.name, model.name]
        outcome = self.runner(
            command,
            folder,
            limits=limits,
            on_line=_progress,
            programs=[binary],
            progress=progress,
        )
        if outcome.status or not gcode.exists():  # 2.9 ends well where it refuses settings
            raise failure(outcome.log, self.capabilities())
        return gcode, outcome


def _checked(
    gcode: Path, model: bed_placement.Model, bed: Bed, settings: Mapping[str, str], log: str
) -> Figures:
    """The figures of what was written. Raises SliceFailed."""
    return bed_placement.check(
        gcode,
        model,
        bed=bed,
        filament_diameter=float(settings["filament_diameter"].split(",")[0]),
        log=log,
        around=_reachable(settings, bed),
        limits=machine_limits(settings),
        volumetric=_is_volumetric(settings),
    )


def _reachable(settings: Mapping[str, str], bed: Bed) -> Around:
    start = settings["start_gcode"]
    if start == BASE["start_gcode"]:
        return bed_placement.ON_BED
    return bed_placement.reachable(start, bed, then=settings.get("toolchange_gcode", ""))


def _skirt_reach(settings: Mapping[str, str], reach: float) -> float:
    """mm around the objects that a skirt may take, outside of supports, rafts and brims."""

    def first(name: str) -> float:
        return (slic3r.numbers(settings.get(name, "")) or [0.0])[0]

    width = 2 * first("nozzle_diameter")
    around = first("skirt_distance") + first("skirts") * width
    return max(SKIRT_MARGIN, reach + around)


def _is_volumetric(settings: Mapping[str, str]) -> bool:
    return settings.get("use_volumetric_e") == "1"


def machine_limits(settings: Mapping[str, str]) -> MachineLimits | None:
    """The printer's limits as the engine's own estimate has them; None where it ignores them.

    Of lists, such as those of a silent mode, the first counts.
    """
    if settings.get("machine_limits_usage") == "ignore":
        return None

    def first(name: str, *, otherwise: float) -> float:
        value = (slic3r.numbers(settings.get(f"machine_max_{name}", "")) or [0.0])[0]
        return value if value > 0 else otherwise

    extruding = first("acceleration_extruding", otherwise=1500.0)
    newer = settings.get("gcode_flavor") in ("marlin2", "reprapfirmware")
    return MachineLimits(
        extruding=extruding,
        travel=first("acceleration_travel", otherwise=extruding) if newer else extruding,
        retracting=min(
            first("acceleration_retracting", otherwise=1500.0),
            first("acceleration_e", otherwise=1e9),
        ),
        axes=(first("acceleration_x", otherwise=1e9), first("acceleration_y", otherwise=1e9)),
        jerk=min(first("jerk_x", otherwise=1e9), first("jerk_y", otherwise=1e9)),
        filament_jerk=first("jerk_e", otherwise=FILAMENT_JERK),
    )


def _number(value: float) -> str:
    return f"{value:.6g}"


def _progress(line: str) -> tuple[float, str] | None:
    match = PROGRESS.fullmatch(line)
    return (int(match[1]) / 100.0, match[2]) if match else None
