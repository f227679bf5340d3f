"""Profiles of Cura (`.curaprofile`): read, or refused with the reason."""

import json
import shutil
from base64 import b64encode
from io import BytesIO

import pytest

from apps.slicing.configs.archives import opened
from apps.slicing.configs.bundles import InvalidBundle
from apps.slicing.configs.cura_profiles import contents_of, read_profile
from apps.slicing.domain.installed_engines import installed_engines
from apps.slicing.models import Config
from core.files import blobs
from tests.slicing.project_files import archive
from tests.slicing.test_bundle_configs import keys_of

HEAD = (
    "[general]\nversion = 4\nname = Fine\ndefinition = {}\n\n[metadata]\ntype = quality_changes\n"
)
MACHINES = {
    "nova_base": {
        "inherits": "fdmprinter",
        "metadata": {
            "visible": False,
            "has_machine_quality": True,
            "quality_definition": "nova_base",
            "machine_extruder_trains": {"0": "nova_extruder"},
        },
        "overrides": {
            "machine_width": {"default_value": 150},
            "speed_print": {"value": "40 + 2"},
            "machine_gcode_flavor": {"default_value": "Marlin"},
            "no_such_setting": {"value": "1"},
        },
    },
    "nova_one": {
        "inherits": "nova_base",
        "name": "Nova One",
        "metadata": {"visible": True},
        "overrides": {
            "machine_name": {"default_value": "Nova One"},
            "speed_print": {"default_value": 99},
            "machine_start_gcode": {"default_value": "G28\r\nG1 Z5 \\ F600"},
        },
    },
    "nova_two": {"inherits": "nova_base", "name": "Nova Two", "metadata": {"visible": True}},
    "nova_extruder": {
        "inherits": "fdmextruder",
        "metadata": {"machine": "nova_base"},
        "overrides": {"machine_nozzle_size": {"default_value": 0.6}},
    },
    "lost": {"inherits": "gone", "metadata": {"visible": True}},
    "round": {"inherits": "round", "metadata": {"visible": True}},
}


def instance(values: str, definition="nova_base", position=None, quality="draft") -> str:
    about = f"quality_type = {quality}\n" + (f"position = {position}\n" if position else "")
    return f"{HEAD.format(definition)}{about}\n[values]\n{values}\n"


def profile(general: str, *extruders: str, **about: str) -> bytes:
    files = {f"global_{at}": instance(general, **about) for at in range(1)}
    files |= {
        f"extruder_{at}": instance(values, position=str(at), **about)
        for at, values in enumerate(extruders)
    }
    return archive(files)


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (profile("layer_height = 0.1"), {"layer_height": "0.1"}),
        (profile("infill_line_width = =line_width"), {"infill_line_width": "=line_width"}),
        (profile("a = 1\nb = 2", "b = 3", "b = 4"), {"a": "1", "b": "3"}),
        (profile("a = 1\r\nb = x;y"), {"a": "1", "b": "x;y"}),
        (archive({"one": "\ufeff" + instance("a = 1\n\tgoes on")}), {"a": "1\ngoes on"}),
        (profile(""), {}),
    ],
)
def test_values_of_the_first_extruder_are_the_strongest(content, values):
    with opened(BytesIO(content)) as package:
        read = read_profile(contents_of(package))

    assert (read.name, read.definition, read.quality) == ("Fine", "nova_base", "draft")
    assert read.values == values


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (archive({"one": "[general]\nname = a\n[values]\n"}), "no profile of Cura"),
        (
            archive({"one": instance("a"), "two": instance("")}),
            "one: Line 11: 'a' is not a setting",
        ),
        (archive({"a": instance(""), "b": instance("", definition="x")}), "nova_base, x"),
        (archive({"one": b"[general]\n\xff"}), "not UTF-8"),
        (archive({f"{at}": instance("") for at in range(41)}), "more than 40 files"),
        (archive({"one": instance("a = 1\n" * 700_000)}), "too large unpacked"),
    ],
)
def test_odd_profile_is_refused_with_the_reason(content, reason):
    with pytest.raises(InvalidBundle) as refused, opened(BytesIO(content)) as package:
        read_profile(contents_of(package))

    assert reason in refused.value.title


@pytest.fixture
def posted(slicing, tmp_path, monkeypatch, db):
    """`posted(content, printer=...)`: with the definitions of two machines of one maker."""
    engine = installed_engines()["cura"]
    if engine.version() is None:
        pytest.skip(engine.missing())
    folder = tmp_path / "cura"
    place = folder / engine.program_version() / "machines"
    place.mkdir(parents=True)
    for path in (engine.definitions / place.parent.name).glob("*.def.json"):
        shutil.copy(path, place.parent)
    for name, content in MACHINES.items():
        (place / f"{name}.def.json").write_text(json.dumps({"version": 2, **content}))
    (place / "damaged.def.json").write_text("{")
    monkeypatch.setattr(engine, "definitions", folder)

    def post(content: bytes, **body: str):
        return slicing.post("/config/bundle/", {"file": b64encode(content).decode(), **body})

    return post


def settings_of(answer) -> dict[str, str]:
    assert answer.status_code == 201, answer.content
    row = Config.objects.get(pk=answer.json()["uri"].split("/")[-2])
    with blobs.local_copy(row.content_id) as path:
        return installed_engines()["cura"].read_raw(path.read_text()).settings


@pytest.mark.engine
def test_profile_becomes_a_config_of_its_machine(posted):
    content = profile(
        "wall_line_count = 5\nodd = 1", "infill_line_width = =line_width * 2", "x = 1"
    )

    answer = posted(content, printer="nova_one")

    config = answer.json()
    assert (config["engine"], config["description"]) == ("cura", "Nova One · Fine")
    assert {"odd", "layer_height", "extruder_nr"} <= set(keys_of(config["notes"]))
    settings = settings_of(answer)
    assert settings["machine_width"] == "150"
    assert settings["machine_nozzle_size"] == "0.6"
    assert settings["speed_print"] == "42"  # a parent's expression, and not the heir's default
    assert settings["machine_start_gcode"] == "G28\nG1 Z5 \\ F600"
    assert (settings["wall_line_count"], settings["infill_line_width"]) == ("5", "1.2")
    assert settings["machine_gcode_flavor"] == "RepRap (Marlin/Sprinter)"


@pytest.mark.engine
def test_machine_is_named_where_a_profile_is_for_several(posted):
    def refused(content: bytes, **body: str) -> tuple[str, str, list[str] | None]:
        answer = posted(content, **body)
        assert answer.status_code == 400, answer.content
        (error,) = answer.json()["errors"]
        assert error["field"] == "printer"
        return error["code"], error["title"], error.get("details", {}).get("names")

    code, _, names = refused(profile("a = 1"))
    assert (code, names) == ("missing-parameter", ["nova_one", "nova_two"])
    code, title, _ = refused(profile("a = 1", definition="acme_x"))
    assert code == "property-value-not-in-allowed-values"
    assert "'acme_x' is not installed: " in title and "--machines" in title
    assert "not for the machine 'lost'" in refused(profile("a = 1"), printer="lost")[1]


@pytest.mark.engine
def test_profile_of_no_machine_is_on_the_bed_of_the_platform(posted):
    answer = posted(instance("layer_height = 0.15", definition="fdmprinter").encode())

    assert settings_of(answer)["layer_height"] == "0.15"
    assert keys_of(answer.json()["notes"]) == ["machine_name"]
    other = posted(profile("layer_height = 0.15", definition="fdmprinter"), printer="nova_two")
    assert settings_of(other)["machine_width"] == "150"


@pytest.mark.engine
@pytest.mark.parametrize(
    ("values", "code"),
    [
        ("cross_infill_density_image = /etc/passwd", "forbidden-setting"),
        ("layer_height = =__import__('os')", "property-value-not-in-allowed-values"),
        ("layer_height = thick", "property-value-not-in-allowed-values"),
    ],
)
def test_settings_of_a_profile_are_checked_as_those_of_a_config(posted, values, code):
    answer = posted(profile(values), printer="nova_two")

    assert answer.status_code == 400
    assert {error["code"] for error in answer.json()["errors"]} == {code}
