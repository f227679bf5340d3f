"""CuraEngine adapter."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from apps.slicing.configs.base import RawConfig
from apps.slicing.configs.cura import CuraValue
from apps.slicing.configs.parameters import LAYER_HEIGHTS, effective
from apps.slicing.engines import (
    bed_placement,
    cura_machines,
    cura_raw,
    cura_settings,
    cura_stacks,
)
from apps.slicing.engines.base import (
    Bed,
    EngineLimits,
    Progress,
    SettingsError,
    Sliced,
    SliceFailed,
)
from apps.slicing.engines.cura_machines import Machine
from apps.slicing.engines.cura_stacks import Stack
from apps.slicing.engines.engine_process import ENVIRONMENT
from apps.slicing.engines.self_test import SelfTested

BINARY = "CuraEngine"
SKIRT_MARGIN = 10.0  # mm, around support that stands out itself
HEADER_BEGINS, HEADER_ENDS = "Gcode header after slicing:", "End of gcode header."
LOG_PREFIX = re.compile(r"(?:\[[^\]]*\] ?)+")  # time and level, from version 5.2 on
VOLUMETRIC = ("UltiGCode", "RepRap (Volumetric)")  # flavours whose E is a volume

PROGRESS = re.compile(r"Progress:([^:]+):.*?([\d.]+)%")
PRINT_TIME = re.compile(r"Print time \(s\): (\d+)")
HEADER_LINE = re.compile(rb";(FLAVOR|TIME|Filament used|Layer height|MIN[XYZ]|MAX[XYZ]):")

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

    def machines(self) -> dict[str, Machine]:
        """Return the machines whose definitions are installed, by their identifiers."""
        return cura_machines.machines(self._folder())

    def stack(self, identifier: str, **choices: str) -> Stack:
        """Return a machine with profiles, see `resolve_stack`. Raises SettingsError."""
        return cura_stacks.resolve_stack(self._folder(), identifier, self._known(), **choices)

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
        binary = shutil.which(BINARY)
        if binary is None:
            raise SliceFailed("engine-not-installed", self.missing())
        bed = self.bed(settings)
        path = folder / "model.stl"  # the engine itself moves it to the middle of the bed
        centre = (0.0, 0.0)
        margin = self.margin(settings)
        model = bed_placement.place(stl, path, bed=bed, centre=centre, margin=margin, turned=turned)
        x, y, z = model.size
        model = model._replace(size=(x, y, z * _shrinkage(settings)))
        if settings.get("adhesion_type") != "raft" and not bed_placement.has_room(
            model, bed, SKIRT_MARGIN
        ):
            settings = {**settings, "adhesion_type": "none"}
        sliced = folder / "sliced.gcode"
        command = [binary, "slice", "-v", "-p"]
        for key, value in settings.items():
            command += ["-s", f"{key}={value}"]
        command += ["-o", sliced.name, "-l", model.path.name]
        listener = _Listener()
        outcome = self.runner(
            command, folder, limits=limits, on_line=listener.hear, progress=progress
        )
        if outcome.status:
            raise _failure(outcome.log)
        gcode = folder / "out.gcode"
        if sliced.exists():
            _splice(sliced, gcode, listener.header)
        start = self.start_gcode(settings)
        starts_as_usual = start == BASE["machine_start_gcode"]
        facts = bed_placement.check(
            gcode,
            model,
            bed=bed,
            filament_diameter=float(settings["material_diameter"]),
            log=outcome.log,
            around=bed_placement.ON_BED if starts_as_usual else bed_placement.reachable(start, bed),
            volumetric=settings["machine_gcode_flavor"] in VOLUMETRIC,
        )
        return Sliced(gcode, outcome.seconds, listener.print_time, facts, outcome.log)

    def _known(self) -> dict[str, cura_settings.Definition]:
        """All settings of the installed version. Raises SliceFailed."""
        if obstacle := self.obstacle():
            raise SliceFailed("engine-not-installed", obstacle)
        return _definitions(self.definitions, self.program_version())


class _Listener:
    """What the engine says of itself while it slices."""

    def __init__(self) -> None:
        self.header: list[str] = []
        self.print_time: float | None = None
        self._in_header = False

    def hear(self, line: str) -> tuple[float, str] | None:
        line = LOG_PREFIX.sub("", line, count=1) if line.startswith("[") else line
        if line.startswith((HEADER_BEGINS, HEADER_ENDS)):
            self._in_header = line.startswith(HEADER_BEGINS)
            if first := line.removeprefix(HEADER_BEGINS).strip() if self._in_header else "":
                self.header.append(first)
        elif self._in_header:
            self.header.append(line)
        elif match := PROGRESS.match(line):
            return min(float(match[2]), 1.0), match[1]
        elif match := PRINT_TIME.match(line):
            self.print_time = float(match[1])
        return None


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


def _shrinkage(settings: Mapping[str, str]) -> float:
    """The factor by which the engine scales the model's height, for a material that shrinks."""
    both = settings.get("material_shrinkage_percentage", "100")
    return float(settings.get("material_shrinkage_percentage_z", both)) / 100


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def _failure(log: str) -> SliceFailed:
    """What an exit status other than 0 means, by the last error in the log."""
    errors = [line for line in log.splitlines() if line.lower().startswith("[error]")]
    last = errors[-1][len("[error]") :].strip()[:200] if errors else "it gave no reason"
    if "setting" in last.lower():
        title = f"CuraEngine refused a setting of the config: {last} Change it in the config."
        return SliceFailed("config-not-usable", title, log)
    return SliceFailed("engine-failed", f"CuraEngine refused the model: {last}", log)


def _splice(sliced: Path, gcode: Path, header: list[str]) -> None:
    """Move the gcode, its first lines replaced by the header.

    The engine writes them before it slices, with numbers that stand for nothing.
    """
    with sliced.open("rb") as source, gcode.open("wb") as target:
        first = source.readline()
        if header:
            while HEADER_LINE.match(first):
                first = source.readline()
            target.write("".join(f"{line}\n" for line in header).encode())
        target.write(first)
        shutil.copyfileobj(source, target, 1 << 20)
    sliced.unlink()
