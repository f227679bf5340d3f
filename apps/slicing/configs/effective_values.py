"""Effective curated parameters of a set of engine settings."""

import re
from collections.abc import Iterable, Mapping

from apps.slicing.configs.parameters import LAYER_HEIGHTS, PARAMETERS
from apps.slicing.configs.slic3r import numbers

Values = frozenset | None

COMMENT = re.compile(r";[^\n]*|\([^()\n]*\)")
# A command that heats, its number, and what follows up to the next command.
HEATING = re.compile(r"(?<![A-Z])M\s*0*(104|109|140|190)(?!\d)([^\n]*?)(?=\n|$|[GM]\s*\d)")
TARGET = re.compile(r"(?<![A-Z\[{_])[SR]\s*([-+]?[\d.]+|\{[^{}]*\}|\[[^\[\]]*\]|\S*)")
COMPUTED_COMMAND = re.compile(r"M\s*\d*[\[{]")
NOZZLE, BED = ("104", "109"), ("140", "190")
SAME_HEIGHT = 1e-6  # mm


def curated_values(engine_identifier: str, settings: Mapping[str, str]) -> dict[str, Values]:
    """For each curated parameter the set of all values in use, None where that cannot be known.

    Every extruder, the first layer and the later ones, and every temperature that custom gcode
    asks for. A temperature of 0 in gcode switches the heater off and is none.

    settings : as they are sent to the engine
    """
    read = {"slic3r": _of_slic3r, "cura": _of_cura}[engine_identifier]
    values = read(settings)
    return {key: values[key] for key in PARAMETERS}


def _of_slic3r(settings: Mapping[str, str]) -> dict[str, Values]:
    def each(key: str) -> list[float]:
        return numbers(settings.get(key, "")) or []

    def speed(key: str, *, of: float = 0.0) -> list[float]:
        share = settings.get(key, "").endswith("%")
        return [value / 100 * of if share else value for value in each(key)]

    codes = [_lines(value) for key, value in settings.items() if key.endswith("_gcode")]
    rewritten = bool(settings.get("gcode_substitutions", "").strip('"; '))
    vase = settings.get("spiral_vase") == "1"
    infill = speed("infill_speed")
    perimeter = speed("perimeter_speed")
    solid = speed("solid_infill_speed", of=max(infill, default=0.0))
    outer = speed("external_perimeter_speed", of=max(perimeter, default=0.0))
    materials = settings.get("filament_type", "").replace(",", ";").split(";")
    return {
        "material": _set(word.strip().strip('"') for word in materials if word.strip()),
        "print_quality": _qualities(each("layer_height")),
        "filament_diameter": _set(each("filament_diameter")),
        "nozzle_diameter": _set(each("nozzle_diameter")),
        "infill_density": frozenset({0.0}) if vase else _set(each("fill_density")),
        "infill_speed": _speeds(infill, solid),
        "extruder_temperature": None
        if rewritten
        else _heat(each("temperature") + each("first_layer_temperature"), codes, NOZZLE, settings),
        "bed_temperature": None
        if rewritten
        else _heat(
            each("bed_temperature") + each("first_layer_bed_temperature"), codes, BED, settings
        ),
        "perimeters": frozenset({1}) if vase else _set(int(count) for count in each("perimeters")),
        "perimeter_speed": _speeds(perimeter, outer),
        "support": frozenset(
            {not vase and any(each("support_material") + each("support_material_enforce_layers"))}
        ),
        "raft": frozenset({any(each("raft_layers"))}),
    }


def _of_cura(settings: Mapping[str, str]) -> dict[str, Values]:
    def one(key: str) -> list[float]:
        return [float(settings[key])]

    codes = [settings[key] for key in settings if key.endswith(("_gcode", "_code"))]
    heats = [f"material_{name}print_temperature" for name in ("", "initial_", "final_")]
    heats.append("material_print_temperature_layer_0")
    beds = ["material_bed_temperature", "material_bed_temperature_layer_0"]
    by_flow = settings["material_flow_dependent_temperature"] == "true"
    nozzle = _heat([float(settings[key]) for key in heats], codes, NOZZLE, settings)
    return {
        "material": None,  # the engine reads how it flows, and not what it is
        "print_quality": _qualities(one("layer_height")),
        "filament_diameter": _set(one("material_diameter")),
        "nozzle_diameter": _set(one("machine_nozzle_size")),
        "infill_density": _set(one("infill_sparse_density")),
        "infill_speed": _speeds(one("speed_infill"), one("speed_topbottom")),
        "extruder_temperature": None if by_flow else nozzle,
        "bed_temperature": _heat([float(settings[key]) for key in beds], codes, BED, settings),
        "perimeters": _set([int(settings["wall_line_count"])]),
        "perimeter_speed": _speeds(one("speed_wall_x"), one("speed_wall_0")),
        "support": frozenset({settings["support_enable"] == "true"}),
        "raft": frozenset({settings["adhesion_type"] == "raft"}),
    }


def _set(values: Iterable) -> Values:
    return frozenset(values) or None


def _speeds(main: list[float], *others: list[float]) -> Values:
    """The speed by which the parameter is named, and those of its kind that are faster.

    0 leaves a speed to the engine.
    """
    if not main or 0 in main:
        return None
    slowest = min(main)
    return frozenset(main).union(speed for kind in others for speed in kind if speed > slowest)


def _qualities(heights: list[float]) -> Values:
    names = {
        next(
            (name for name, known in LAYER_HEIGHTS.items() if abs(known - height) < SAME_HEIGHT),
            f"other ({height:g} mm)",
        )
        for height in heights
    }
    return frozenset(names) or None


def _lines(value: str) -> str:
    r"""Gcode as it is sent, from an ini file's value, where a line's end is \n."""
    return value.replace("\\n", "\n").replace('"', "\n")


def _heat(
    asked: list[float], codes: Iterable[str], commands: tuple[str, ...], settings: Mapping[str, str]
) -> Values:
    """The temperatures of the settings, and those that gcode asks for by these commands."""
    found = set(asked)
    for code in codes:
        plain = COMMENT.sub("", code).upper()
        if COMPUTED_COMMAND.search(plain):
            return None
        for command, rest in HEATING.findall(plain):
            if command not in commands:
                continue
            targets = TARGET.findall(rest)
            if not targets and ("[" in rest or "{" in rest):
                return None
            for target in targets:
                temperatures = _target(target, settings)
                if temperatures is None:
                    return None
                found.update(value for value in temperatures if value)
    return frozenset(found) or None


def _target(written: str, settings: Mapping[str, str]) -> list[float] | None:
    """What stands behind an S or R: a number, or the name of a setting in brackets."""
    if written.startswith(("[", "{")):
        name = written[1:-1].strip().lower()
        return numbers(settings.get(re.sub(r"\[\w+\]$|_\d+$", "", name), ""))
    try:
        return [float(written)]
    except ValueError:
        return None
