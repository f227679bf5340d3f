"""Bundles of presets: inheritance, and what is refused."""

from dataclasses import replace

import pytest

from apps.slicing.configs import bundles, presets
from apps.slicing.configs.bundles import InvalidBundle
from apps.slicing.configs.capabilities import of_defaults
from apps.slicing.configs.extruders import for_extruder
from apps.slicing.configs.facts import facts_of
from tests.slicing.vendor_bundle import BUNDLE

# As much of the engine's own settings as the tests' presets speak of.
DEFAULTS = {
    "printer_technology": "FFF",
    "gcode_flavor": "reprap",
    "nozzle_diameter": "0.4",
    "bed_shape": "0x0,200x0,200x200,0x200",
    "max_print_height": "200",
    "use_relative_e_distances": "0",
    "layer_gcode": "",
    "before_layer_gcode": "",
    "start_gcode": "G28",
    "end_gcode": "M104 S0",
    "single_extruder_multi_material": "0",
    "machine_max_acceleration_extruding": "1500",
    "machine_max_acceleration_x": "9000",
    "machine_max_acceleration_y": "9000",
    "machine_max_feedrate_x": "500",
    "machine_max_feedrate_y": "500",
    "thumbnails": "",
    "layer_height": "0.3",
    "first_layer_height": "0.35",
    "perimeters": "3",
    "perimeter_speed": "60",
    "infill_speed": "80",
    "fill_density": "20%",
    "complete_objects": "0",
    "deretract_speed": "0",
    "filament_type": "PLA",
    "filament_diameter": "1.75",
    "filament_density": "0",
    "filament_cost": "0",
    "temperature": "200",
    "first_layer_temperature": "200",
    "bed_temperature": "0",
    "first_layer_bed_temperature": "0",
}


@pytest.fixture(scope="module")
def bundle():
    return bundles.read(BUNDLE.encode(), "Acme")


def facts(bundle, kind, name):
    return facts_of(bundle, kind, name, DEFAULTS)


def rejection(text: str | bytes) -> InvalidBundle:
    """Why a bundle is refused, when it is read or when all its presets are."""
    with pytest.raises(InvalidBundle) as refused:
        read = bundles.read(text if isinstance(text, bytes) else text.encode(), "Bad")
        for kind in bundles.KINDS:
            for name in read.names(kind):
                facts_of(read, kind, name, DEFAULTS)
    return refused.value


def test_own_settings_override_the_last_parent_and_earlier_parents(bundle):
    told = bundle.flat("print", "0.20 mm normal @ACME")

    assert (told["layer_height"], told["perimeters"], told["perimeter_speed"]) == ("0.2", "3", "45")
    assert "inherits" not in told
    assert "renamed_from" not in bundle.flat("print", "0.30 mm quick @ACME")


def test_abstract_presets_are_not_listed(bundle):
    assert list(bundle.names("print")) == [
        "0.20 mm normal @ACME",
        "0.10 mm fine @ACME",
        "0.30 mm quick @ACME",
    ]


def test_printer_preset_facts_are_parsed(bundle):
    found = facts(bundle, "printer", "Acme Flat")

    assert (found.vendor, found.version, found.printer_model) == (
        "Acme & Sons",
        "1.2.3",
        "Acme Flat",
    )
    assert found.usable
    assert (found.nozzle_diameter, found.facts["extruders"]) == (0.4, 1)
    assert found.facts["bed"] == {
        "outline": [[5.0, 5.0], [205.0, 5.0], [205.0, 155.0], [5.0, 155.0]],
        "height": 180.0,
    }
    assert found.facts["thumbnails"] == ["16x16", "220x124"]
    assert found.facts["limits"]["acceleration_extruding"] == 1250.0
    assert facts(bundle, "printer", "Acme Round").printer_model == "Acme Round & Tall"


def test_preset_compatibility_follows_its_condition_or_list(bundle):
    flat, wide, round_ = (
        facts(bundle, "printer", f"Acme {name}") for name in ("Flat", "Flat 0.6", "Round")
    )

    def fitting(kind, printer, print_=None):
        found = (facts(bundle, kind, name) for name in bundle.names(kind))
        return [row.name for row in found if presets.fits(row, printer=printer, print_=print_)]

    assert fitting("print", flat) == [
        "0.20 mm normal @ACME",
        "0.10 mm fine @ACME",
        "0.30 mm quick @ACME",
    ]
    assert fitting("print", wide) == ["0.30 mm quick @ACME"]
    assert fitting("filament", round_) == ["Generic PLA @ACME", "Acme PETG"]
    coarse = facts(bundle, "print", "0.30 mm quick @ACME")
    assert fitting("filament", flat, coarse) == ["Acme PLA", "Generic PLA @ACME"]


def test_missing_default_print_falls_back_to_half_the_nozzle_diameter(bundle):
    prints = [facts(bundle, "print", name) for name in bundle.names("print")]
    flat, wide = (facts(bundle, "printer", f"Acme {name}") for name in ("Flat", "Flat 0.6"))

    assert presets.nearest_print(prints, flat).name == "0.20 mm normal @ACME"
    assert presets.nearest_print(prints, wide).name == "0.30 mm quick @ACME"


def test_default_filament_is_the_named_one_or_a_generic_pla(bundle):
    filaments = [facts(bundle, "filament", name) for name in bundle.names("filament")]
    flat, round_ = (facts(bundle, "printer", f"Acme {name}") for name in ("Flat", "Round"))

    assert presets.plainest_filament(filaments, flat).name == "Acme PLA"
    assert presets.plainest_filament(filaments, round_).name == "Generic PLA @ACME"


def test_flattened_preset_triple_has_every_setting_and_is_repaired(bundle):
    triple = presets.Triple(
        bundle.flat("printer", "Acme Flat"),
        bundle.flat("print", "0.20 mm normal @ACME"),
        bundle.flat("filament", "Acme PLA"),
    )

    known = replace(of_defaults(DEFAULTS), shares=frozenset({"first_layer_height", "fill_density"}))
    config = presets.flattened(triple, known)

    assert set(DEFAULTS) - set(config.settings) == {"printer_technology", "thumbnails"}
    assert config.settings["first_layer_height"] == "0.15"
    assert config.settings["deretract_speed"] == "0"
    assert config.settings["gcode_flavor"] == "marlin"
    assert [note.key for note in config.notes] == ["thumbnails"]


def test_filament_compatibility_uses_the_nozzle_of_the_chosen_extruder():
    text = """
[printer:Dual]
nozzle_diameter = 0.4,0.6
[printer:One hotend]
inherits = Dual
single_extruder_multi_material = 1
[filament:Coarse]
compatible_printers_condition = nozzle_diameter[0]>0.5
[print:Fine]
compatible_printers_condition = nozzle_diameter[0]<0.5 and single_extruder_multi_material
"""
    bundle = bundles.read(text.encode(), "Dual")
    coarse = facts(bundle, "filament", "Coarse")

    def extruders(printer: str) -> list[int]:
        found = facts(bundle, "printer", printer)
        return [
            extruder
            for extruder in (1, 2)
            if presets.fits(coarse, printer=found, print_=None, extruder=extruder)
        ]

    assert facts(bundle, "printer", "Dual").nozzles == (0.4, 0.6)
    assert extruders("Dual") == [2]
    assert extruders("One hotend") == []


def test_preset_with_repeated_parents_is_flattened():
    doubled = "".join(f"[print:P{n}]\ninherits = P{n + 1}; P{n + 1}\n" for n in range(19))

    bundle = bundles.read(f"{doubled}[print:P19]\nperimeters = 4\n".encode(), "Doubled")

    assert bundle.flat("print", "P0") == {"perimeters": "4"}


def test_flattened_preset_includes_changes_made_by_the_slicer_gui():
    triple = presets.Triple({}, {"gap_fill_speed": "0", "first_layer_height": "120%"}, {})
    defaults = DEFAULTS | {"gap_fill_speed": "20", "gap_fill_enabled": "1"}

    settings = presets.flattened(triple, of_defaults(defaults)).settings

    assert (settings["gap_fill_enabled"], settings["first_layer_height"]) == ("0", "0.36")


def test_settings_are_repeated_for_each_extruder():
    settings = {
        "nozzle_diameter": "0.4,0.4,0.6",
        "extruder_offset": "0x0,18x-2.5",
        "retract_length": "1, 2",
        "extruder_colour": '#FF8000;"a;b"',
        "machine_max_jerk_x": "10,5",
        "temperature": "215",
        "filament_retract_length": "nil,2",
        "filament_type": "PLA",
        "cooling_slowdown_logic": "uniform_cooling",
        "start_filament_gcode": r'"M900 K0.05 ; \"fast\"\nG4 S1"',
        "end_filament_gcode": "",
        "perimeter_extruder": "1",
        "infill_extruder": "2",
        "wipe_tower": "1",
    }
    gcode = settings["start_filament_gcode"]

    assert for_extruder(settings, 3) == {
        "nozzle_diameter": "0.4,0.4,0.6",
        "extruder_offset": "0x0,18x-2.5,0x0",
        "retract_length": "1,2,1",
        "extruder_colour": '#FF8000;"a;b";#FF8000',
        "machine_max_jerk_x": "10,5",
        "temperature": "215,215,215",
        "filament_retract_length": "nil,nil,nil",
        "filament_type": "PLA;PLA;PLA",
        "cooling_slowdown_logic": "uniform_cooling,uniform_cooling,uniform_cooling",
        "start_filament_gcode": f"{gcode};{gcode};{gcode}",
        "end_filament_gcode": ";;",
        "perimeter_extruder": "3",
        "infill_extruder": "3",
        "wipe_tower": "0",
    }
    assert for_extruder(settings | {"nozzle_diameter": "0.4"}, 1)["temperature"] == "215"


def test_extruder_zero_means_the_only_extruder():
    settings = {"nozzle_diameter": "0.4", "infill_extruder": "0", "support_material_extruder": "0"}

    assert for_extruder(settings, 1) == settings | {"infill_extruder": "1"}


def test_empty_number_is_left_to_the_engine_with_a_note(bundle):
    triple = presets.Triple({}, {}, bundle.flat("filament", "Generic PLA @ACME"))

    config = presets.flattened(triple, of_defaults(DEFAULTS))

    assert config.settings["filament_cost"] == "0"
    assert [(note.key, note.title) for note in config.notes] == [
        ("filament_cost", "Not used: it is empty.")
    ]


def test_setting_with_an_obsolete_name_is_dropped_with_a_note():
    triple = presets.Triple({}, {"external_fill_pattern": "rectilinear"}, {})

    config = presets.flattened(triple, of_defaults(DEFAULTS | {"top_fill_pattern": "monotonic"}))

    assert config.settings["top_fill_pattern"] == "monotonic"
    assert [note.key for note in config.notes] == ["external_fill_pattern"]


def test_printer_preset_rejected_by_the_engine_has_a_reason(bundle):
    found = facts(bundle, "printer", "Acme Careless")

    assert not found.usable
    assert 'must be a "G92 E0"' in found.reasons[0]


def test_klipper_printer_that_emits_machine_limits_has_a_reason():
    text = "[printer:K]\ngcode_flavor = klipper\nmachine_limits_usage = emit_to_gcode\n"
    quiet = text.replace("emit_to_gcode", "time_estimate_only")

    def reasons(content: str) -> tuple[str, ...]:
        return facts(bundles.read(content.encode(), "K"), "printer", "K").reasons

    assert "machine_limits_usage must be another one" in reasons(text)[0]
    assert reasons(quiet) == ()


BAD_PRESETS = {
    "a program": ("[print:P]\npost_process = /bin/true\n", "programs are not run"),
    "resin": ("[printer:P]\nprinter_technology = SLA\n", "lay down filament"),
    "a circle": ("[print:P]\ninherits = Q\n[print:Q]\ninherits = P\n", "inherits from itself"),
    "oneself": ("[print:P]\ninherits = P\n", "inherits from itself"),
    "nobody": ("[print:P]\ninherits = Q\n", "which is not in the bundle"),
    "another kind": ("[print:P]\ninherits = F\n[filament:F]\n", "which is not in the bundle"),
    "no number": ("[print:P]\nperimeters = many\n", "not a number"),
    "infinity": ("[print:P]\nperimeters = inf\n", "not a number"),
    "too large": ("[print:P]\nperimeters = 1e99\n", "too large a number"),
    "a line for a bed": ("[printer:P]\nbed_shape = 0x0,1x1\n", "write corners"),
    "a tiny bed": ("[printer:P]\nbed_shape = 0x0,1x0,1x1\n", "10 to 10,000 mm"),
    "a huge text": (f"[print:P]\nlayer_gcode = {'x' * 100_001}\n", "longer than 100,000"),
}


@pytest.mark.parametrize("text, words", BAD_PRESETS.values(), ids=BAD_PRESETS)
def test_invalid_preset_is_listed_with_its_reason_beside_valid_ones(text, words):
    bundle = bundles.read((text + "[filament:Good]\ntemperature = 200\n").encode(), "Bad")
    kind = text[1:].partition(":")[0]

    assert words in facts(bundle, kind, "P").reasons[0]
    assert facts(bundle, "filament", "Good").usable


def chain(length: int) -> str:
    lines = [f"[print:P{n}]\ninherits = P{n + 1}" for n in range(length)]
    return "\n".join([*lines, f"[print:P{length}]"])


def test_inheritance_depth_is_limited():
    assert "more than 20 presets" in rejection(chain(30)).title
    assert bundles.read(chain(20).encode(), "Good").flat("print", "P0") == {}
