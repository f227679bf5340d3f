"""PrusaSlicer, which reads the settings of the Slic3r family."""

import math
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from apps.slicing.engines import fit
from apps.slicing.engines.base import Bed, Limits, Progress, Sliced, SliceFailed
from apps.slicing.engines.process import ENVIRONMENT, run
from apps.slicing.parameters import LAYER_HEIGHTS, effective
from apps.slicing.raw import slic3r, text
from apps.slicing.raw.base import RawConfig

BINARY = "prusa-slicer"
RAFT_MARGIN = 5.0  # mm that a raft and its first layer stand out
SKIRT_MARGIN = 10.0  # mm, around support that stands out itself
TAIL_BYTES = 64 << 10  # of the gcode, in which the engine's estimate stands

PROGRESS = re.compile(r"(\d{1,3}) => (.+)")
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


class PrusaSlicer:
    """The `slic3r` engine."""

    identifier = "slic3r"
    name = "PrusaSlicer"

    def __init__(self, bed: Bed | None = None):
        self._bed = bed or Bed()

    def version(self) -> str | None:
        return _version(shutil.which(BINARY))

    def missing(self) -> str:
        return "PrusaSlicer is not installed on this server: install Debian's package prusa-slicer."

    def settings(self, parameters: Mapping) -> dict[str, str]:
        values = effective(parameters)
        height, nozzle = LAYER_HEIGHTS[values["print_quality"]], values["nozzle_diameter"]
        solid_layers = str(math.ceil(0.8 / height - 1e-9))
        infill_speed, perimeter_speed = values["infill_speed"], values["perimeter_speed"]
        nozzle_temperature = str(round(values["extruder_temperature"]))
        bed_temperature = str(round(values["bed_temperature"]))
        fan = "100" if values["material"] == "PLA" else "0"  # ABS warps in a draught
        chosen = {
            "bed_shape": f"0x0,{self._bed.width:g}x0,{self._bed.width:g}x{self._bed.depth:g}"
            f",0x{self._bed.depth:g}",
            "max_print_height": _number(self._bed.height),
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
        binary = shutil.which(BINARY)
        if binary is None:
            raise SliceFailed("engine-not-installed", self.missing())
        return slic3r.read(content, defaults=_defaults(binary), own=self.settings({}))

    def bed(self, settings: Mapping[str, str]) -> Bed:
        bounds = slic3r.bed_bounds(settings["bed_shape"])
        if bounds is None:
            return self._bed
        left, front, right, back = bounds
        height = float(settings["max_print_height"])
        return Bed(right - left, back - front, height, left, front)

    def config_text(self, settings: Mapping[str, str]) -> str:
        """Lines of `key = value`."""
        return "".join(f"{key} = {value}\n" for key, value in settings.items())

    def margin(self, settings: Mapping[str, str]) -> float:
        return RAFT_MARGIN if settings.get("raft_layers", "0") != "0" else 0.0

    def slice(
        self,
        stl: Path,
        settings: Mapping[str, str],
        folder: Path,
        *,
        limits: Limits,
        turned: bool = False,
        progress: Progress | None = None,
    ) -> Sliced:
        binary = shutil.which(BINARY)
        if binary is None:
            raise SliceFailed("engine-not-installed", self.missing())
        bed = self.bed(settings)
        path = folder / "model.stl"
        margin = self.margin(settings)
        model = fit.place(stl, path, bed=bed, centre=bed.centre, margin=margin, turned=turned)
        if not fit.has_room(model, bed, SKIRT_MARGIN):
            settings = {**settings, "skirts": "0"}
        (folder / "config.ini").write_text(self.config_text(settings), encoding="utf-8")
        gcode = folder / "out.gcode"
        # Into a pipe it would tell its progress all at once, at the end.
        by_line = [shutil.which("stdbuf") or "/usr/bin/stdbuf", "-oL"]
        command = [*by_line, binary, "--export-gcode", "--dont-arrange"]
        command += ["--datadir", "data"]
        command += ["--load", "config.ini", "--output", gcode.name, model.path.name]
        outcome = run(
            command,
            folder,
            limits=limits,
            on_line=_progress,
            programs=[binary],
            progress=progress,
        )
        if outcome.status:
            raise _failure(outcome.log)
        starts_as_usual = settings["start_gcode"] == BASE["start_gcode"]
        volumetric = settings.get("use_volumetric_e") == "1"
        diameter = float(settings["filament_diameter"].split(",")[0])
        facts = fit.check(
            gcode,
            model,
            bed=bed,
            filament_diameter=fit.UNIT_DIAMETER if volumetric else diameter,
            log=outcome.log,
            tolerance=fit.TOLERANCE if starts_as_usual else fit.PRIMING,
        )
        return Sliced(gcode, outcome.seconds, _estimate(gcode), facts, outcome.log)


@cache
def _version(binary: str | None) -> str | None:
    if binary is None:
        return None
    # a program found on our own path, with fixed arguments
    help_text = subprocess.run(  # noqa: S603
        [binary, "--help"], capture_output=True, text=True, timeout=60, env=ENVIRONMENT, check=False
    ).stdout
    match = re.search(r"PrusaSlicer-(\d+\.\d+\.\d+)", help_text)
    return match[1] if match else None


@cache
def _defaults(binary: str) -> dict[str, str]:
    """Every setting that the engine knows, with the value it has by itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "defaults.ini"
        subprocess.run(  # noqa: S603  as above
            [binary, "--datadir", folder, "--save", str(path)],
            capture_output=True,
            timeout=60,
            env=ENVIRONMENT,
            check=True,
        )
        return {entry.key: entry.value for entry in text.entries(path.read_text("utf-8"))}


def _number(value: float) -> str:
    return f"{value:.6g}"


def _progress(line: str) -> tuple[float, str] | None:
    match = PROGRESS.fullmatch(line)
    return (int(match[1]) / 100.0, match[2]) if match else None


def _failure(log: str) -> SliceFailed:
    """What a positive exit status means, by the last words."""
    if "no extrusions" in log or "no layers" in log or "empty" in log:
        return fit.nothing_to_print(log)
    if "fit on the bed" in log or "outside of the print volume" in log:
        title = "The model does not fit on the bed. Scale, turn or divide the model."
        return SliceFailed("model-too-large", title, log)
    if "Loading of a model file failed" in log:
        title = "PrusaSlicer cannot read the model: its surface is broken. Repair the model."
        return SliceFailed("model-invalid", title, log)
    words = [line for line in log.splitlines() if line.strip() and not PROGRESS.match(line)]
    last = words[-1].strip()[:200] if words else "it gave no reason"
    return SliceFailed("engine-failed", f"PrusaSlicer refused the model: {last}", log)


def _estimate(gcode: Path) -> float | None:
    """Seconds that the engine expects the print to take, from the end of its gcode."""
    with gcode.open("rb") as file:
        file.seek(max(0, gcode.stat().st_size - TAIL_BYTES))
        match = ESTIMATE.search(file.read())
    if match is None:
        return None
    parts = zip(match.groups(), UNIT_SECONDS, strict=True)
    return float(sum(int(count or 0) * seconds for count, seconds in parts))
