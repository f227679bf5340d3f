"""Machines of Cura with their nozzles, materials, qualities and intents."""

import random
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest

from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.domain.installed_engines import installed_engines
from apps.slicing.engines.base import EngineLimits
from apps.slicing.engines.cura_stacks import UnknownChoice
from apps.slicing.models import Config
from core.files import blobs
from tests.slicing.test_bundle_configs import keys_of
from tests.slicing.test_cura_profiles import profile

ROOT = Path(__file__).resolve().parents[2]
MACHINES = 20  # that the slow test slices with
pytestmark = pytest.mark.engine


@pytest.fixture
def engine(nova):
    """CuraEngine with a machine of two nozzles, and its profiles."""
    return nova


def values_of(engine, *names: str, **choices: str) -> list[str]:
    settings = engine.read_raw(engine.config_text(engine.stack("nova", **choices).settings))
    return [settings.settings[name] for name in names]


def test_preferred_profiles_are_used_and_the_stronger_one_wins(engine):
    stack = engine.stack("nova")

    assert stack[:5] == ("nova", "0.4 mm", "generic_pla_175", "fine", "")
    names = ("layer_height", "speed_print", "wall_line_count", "cool_fan_speed")
    assert values_of(engine, *names) == ["0.12", "45", "5", "90"]
    temperatures = ("material_print_temperature", "material_bed_temperature", "material_diameter")
    assert values_of(engine, *temperatures) == ["201", "61", "1.75"]


def test_options_and_joined_texts_of_a_machine_are_read(engine):
    names = ("machine_buildplate_type", "machine_end_gcode")

    assert values_of(engine, *names) == ["glass", "M104 S0\nM140 S0"]


def test_profiles_are_chosen_by_name(engine):
    names = ("machine_nozzle_size", "layer_height", "material_print_temperature")
    assert values_of(engine, *names, nozzle="0.8 mm") == ["0.8", "0.3", "222"]
    assert values_of(engine, "wall_line_count", intent="engineering") == ["9"]
    stack = engine.stack("nova", material="Generic PLA", quality="Fine print")
    assert (stack.material, stack.quality) == ("generic_pla_175", "fine")


@pytest.mark.parametrize(
    ("choices", "field", "names"),
    [
        ({"nozzle": "0.6 mm"}, "nozzle", ["0.4 mm", "0.8 mm"]),
        ({"material": "generic_pla"}, "material", ["generic_pla_175", "petg_175"]),
        ({"material": "petg_175", "nozzle": "0.8 mm"}, "material", ["generic_pla_175"]),
        ({"quality": "rough"}, "quality", ["fine"]),
        ({"intent": "visual"}, "intent", ["engineering"]),
    ],
)
def test_what_a_machine_does_not_have_is_refused_with_what_it_has(engine, choices, field, names):
    with pytest.raises(UnknownChoice) as refused:
        engine.stack("nova", **choices)

    assert (refused.value.field, refused.value.names) == (field, names)


def test_material_without_qualities_uses_those_of_the_machine(engine):
    stack = engine.stack("nova", material="petg_175")

    assert (stack.quality, stack.settings["wall_line_count"]) == ("fine", "5")


@pytest.fixture
def post(engine, slicing):
    """`post(printer=...)`: the answer to a config of these fields."""
    return lambda **body: slicing.post("/config/bundle/", body)


def settings_of(answer) -> dict[str, str]:
    assert answer.status_code == 201, answer.content
    row = Config.objects.get(pk=answer.json()["uri"].split("/")[-2])
    with blobs.local_copy(row.content_id) as path:
        return installed_engines()["cura"].read_raw(path.read_text()).settings


def test_config_is_made_of_a_machine_alone(post):
    answer = post(printer="nova", nozzle="0.8 mm", material="Generic PLA", quality="rough")

    assert answer.json()["description"] == "Nova · 0.8 mm · generic_pla_175 · rough"
    assert answer.json()["notes"] == []
    assert settings_of(answer)["layer_height"] == "0.3"


@pytest.mark.parametrize(
    ("body", "field", "names"),
    [
        ({"printer": "nova", "nozzle": "1 mm"}, "nozzle", ["0.4 mm", "0.8 mm"]),
        ({"printer": "acme"}, "printer", ["nova"]),
    ],
)
def test_refused_config_of_a_machine_names_what_there_is(post, body, field, names):
    answer = post(**body)

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["field"]) == (400, field)
    assert error["code"] == "property-value-not-in-allowed-values"
    assert error["details"]["names"] == names


def test_profile_changes_the_installed_quality(post):
    content = profile("wall_line_count = 3", definition="nova", quality="fine")

    answer = post(file=b64encode(content).decode())

    settings = settings_of(answer)
    assert [settings[key] for key in ("layer_height", "wall_line_count")] == ["0.12", "3"]
    (note,) = answer.json()["notes"]
    assert "nozzle '0.4 mm' and material 'generic_pla_175'" in note["title"]
    named = post(file=b64encode(content).decode(), nozzle="0.4 mm", material="generic_pla_175")
    assert keys_of(named.json()["notes"]) == []


def test_choices_of_cura_are_refused_beside_a_bundle(post):
    answer = post(content="[printer:a]\nbed_shape = 0x0\n[print:b]\n[filament:c]\n", nozzle="0.4")

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] in ("nozzle", "content")


# ---------------------------------------------------------------- installed profiles


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The machines and profiles of Debian's packages."""
    folder = tmp_path_factory.mktemp("cura")
    program = ROOT / "bin" / "install-cura-definitions"
    ended = subprocess.run(
        [program, "--machines", folder], capture_output=True, text=True, check=False
    )
    if ended.returncode:
        pytest.skip(ended.stderr[:300])
    return folder


def qualities_of(engine, machine: str) -> list[str]:
    with pytest.raises(UnknownChoice) as refused:
        engine.stack(machine, quality="none of them")
    return refused.value.names


@pytest.mark.slow
def test_installed_machines_slice_a_cube_with_each_quality(installed, cube, tmp_path, monkeypatch):
    engine = installed_engines()["cura"]
    monkeypatch.setattr(engine, "definitions", installed)
    stl = tmp_path / "cube.stl"
    stl.write_bytes(cube)
    machines = sorted(engine.machines())
    random.Random(1).shuffle(machines)
    sliced, refused = 0, []
    for machine in ["creality_ender3", "ultimaker_s5", *machines[:MACHINES]]:
        for quality in qualities_of(engine, machine):
            stack = engine.stack(machine, quality=quality)
            try:
                settings = engine.read_raw(engine.config_text(stack.settings)).settings
            except RawConfigErrors as errors:
                refused.append(f"{machine} {quality}: {errors}")
                continue
            folder = tmp_path / str(sliced)
            folder.mkdir()
            result = engine.slice(stl, settings, folder, limits=EngineLimits(wall_seconds=60))
            assert result.gcode.stat().st_size > 1000, (machine, quality)
            shutil.rmtree(folder)
            sliced += 1

    assert sliced > 3 * MACHINES
    # Layers of Cura's own "extra coarse" are higher than usual nozzles are wide.
    assert len(refused) <= sliced / 5, refused
