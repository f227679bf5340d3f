"""Settings in 3MF projects: read, or refused with the reason."""

from base64 import b64encode
from io import BytesIO
from uuid import uuid4

import pytest

from apps.slicing.configs.archives import opened
from apps.slicing.configs.bundles import Bundle, InvalidBundle
from apps.slicing.configs.projects import read_project
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import Config
from apps.warehouse.models import Model
from tests.slicing.project_files import PRUSA, archive, bambu_project, prusa_project, prusa_text
from tests.slicing.test_bundle_configs import keys_of, settings_of

CONFIG = "Metadata/Slic3r_PE.config"
JSON = "Metadata/project_settings.config"


def read(content: bytes) -> Bundle:
    with opened(BytesIO(content)) as package:
        return read_project(package)


def flat(bundle: Bundle) -> dict[str, str]:
    names = {kind: list(bundle.names(kind)) for kind in ("printer", "print", "filament")}
    return {
        key: value
        for kind, (*_, name) in names.items()
        for key, value in bundle.flat(kind, name).items()
    }


@pytest.mark.parametrize(
    ("content", "origin", "expected"),
    [
        (prusa_project(), "PrusaSlicer", {"layer_height": "0.3", "temperature": "238"}),
        (
            prusa_project("SuperSlicer 2.5.59", only_one_perimeter_top="1"),
            "SuperSlicer",
            {"only_one_perimeter_top": "1", "bed_shape": PRUSA["bed_shape"]},
        ),
        (prusa_project("PrusaSlicer 2.9.2", layer_height="0.15\r"), "PrusaSlicer", {}),
        (prusa_project(start_gcode='G28 ; = "x"'), "PrusaSlicer", {"start_gcode": 'G28 ; = "x"'}),
        (prusa_project(printer_settings_id=None), "PrusaSlicer", {"perimeters": "3"}),
        (
            prusa_project(filament_settings_id='"A;B";"C"', temperature="238,200"),
            "PrusaSlicer",
            {"temperature": "238"},
        ),
        (archive({CONFIG.lower(): "\ufeff" + prusa_text()}), "PrusaSlicer", {"perimeters": "3"}),
        (
            bambu_project(),
            "Bambu Studio",
            {"layer_height": "0.2", "first_layer_temperature": "215"},
        ),
        (bambu_project("OrcaSlicer-2.1.1"), "OrcaSlicer", {"max_print_height": "180"}),
        (bambu_project(print_settings_id=None), "Bambu Studio", {"filament_type": "PLA"}),
        (bambu_project(plate_count="3", post_process=[""]), "Bambu Studio", {}),
    ],
)
def test_project_is_read(content, origin, expected):
    bundle = read(content)

    assert bundle.origin == origin
    assert expected.items() <= flat(bundle).items()


@pytest.mark.parametrize(
    ("content", "code", "reason"),
    [
        (b"PK\x03\x04 and no more", "invalid-bundle", "cannot be read"),
        (prusa_project()[:-40], "invalid-bundle", "cannot be read"),
        (archive({"3D/3dmodel.model": "<model/>"}), "invalid-bundle", "save it as a project"),
        (archive({"Cura/stack.global.cfg": "[general]"}), "invalid-bundle", ".curaprofile"),
        (archive({CONFIG: ""}), "invalid-bundle", "has no settings"),
        (archive({CONFIG: b"; layer_height = \xff"}), "invalid-bundle", "not UTF-8"),
        (archive({CONFIG: "; layer_height = 1\n; oh\n"}), "invalid-bundle", "Line 2: 'oh'"),
        (archive({CONFIG: "<config/>"}), "invalid-bundle", "Line 1: '<config/>'"),
        (archive({CONFIG: "; a = \x1b"}), "invalid-bundle", "U+001B"),
        (archive({CONFIG: "; a = 1\n" * 600_000}), "limit-exceeded", "too large unpacked"),
        (archive({f"{at}": "" for at in range(5001)}), "limit-exceeded", "more than 5,000 files"),
        (prusa_project(bed_shape=None), "invalid-bundle", "bed_shape"),
        (archive({JSON: ""}), "invalid-bundle", "no JSON"),
        (archive({JSON: "[]"}), "invalid-bundle", "object of settings"),
        (archive({JSON: '{"a": NaN}'}), "invalid-bundle", "NaN"),
        (archive({JSON: "[" * 100_000}), "invalid-bundle", "no JSON"),
        (bambu_project(printable_area=None), "invalid-bundle", "printable_area"),
        (bambu_project(layer_height={"a": 1}), "invalid-bundle", "layer_height is no text"),
        (bambu_project(post_process=["/bin/true"]), "forbidden-setting", "post_process"),
        (bambu_project(print_settings_id="x" * 201), "invalid-bundle", "200 characters"),
    ],
)
def test_odd_project_is_refused_with_the_reason(content, code, reason):
    with pytest.raises(InvalidBundle) as refused:
        read(content)

    assert refused.value.code == code
    assert reason in refused.value.title


def test_each_filament_of_a_project_is_a_preset():
    project = prusa_project(
        filament_settings_id='"A;B";"C"',
        temperature="238,200",
        filament_type="PETG;PLA",
        start_filament_gcode='"M1\\n;";"M2"',
        nozzle_diameter="0.4,0.6",
    )

    bundle = read(project)

    assert sorted(bundle.names("filament")) == ["A;B", "C"]
    other = bundle.flat("filament", "C")
    assert (other["temperature"], other["filament_type"]) == ("200", "PLA")
    assert other["start_filament_gcode"] == '"M2"'
    assert bundle.flat("printer", "My Flat")["nozzle_diameter"] == "0.4,0.6"


@pytest.fixture
def posted(slicing, presets_folder):
    if prusaslicer().version() is None:
        pytest.skip(prusaslicer().missing())

    def post(content, **body):
        return slicing.post("/config/bundle/", {"file": b64encode(content).decode(), **body})

    return post


@pytest.mark.django_db
@pytest.mark.engine
def test_project_becomes_a_config(posted, slicing):
    two = prusa_project(filament_settings_id='"My PETG";"Mine"', temperature="238,200", odd="1")

    first, other = posted(two), posted(two, filament="Mine")

    assert first.json()["description"] == "My Flat · Coarse · My PETG"
    assert keys_of(first.json()["notes"]) == ["odd"]
    assert not first.json()["estimate_only"]
    settings = settings_of(slicing, first)
    assert (settings["layer_height"], settings["temperature"]) == ("0.3", "238")
    assert settings_of(slicing, other)["temperature"] == "200"


@pytest.mark.django_db
@pytest.mark.engine
def test_project_of_bambu_studio_only_estimates(posted, slicing):
    answer = posted(bambu_project())

    assert answer.json()["estimate_only"] and answer.json()["preset"] is None
    assert {"scan_first_layer"} <= set(keys_of(answer.json()["notes"]))
    settings = settings_of(slicing, answer)
    assert settings["bed_shape"] == "0x0,180x0,180x180,0x180"
    assert "M620" not in settings["start_gcode"]
    assert Config.objects.get().estimate_only


@pytest.mark.django_db
@pytest.mark.engine
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"post_process": "/bin/true"}, "forbidden-setting"),
        ({"printer_technology": "SLA"}, "property-value-not-in-allowed-values"),
        ({"perimeters": "many"}, "property-value-not-in-allowed-values"),
    ],
)
def test_settings_of_a_project_are_checked_as_those_of_a_config(posted, changed, code):
    answer = posted(prusa_project(**changed))

    assert answer.status_code == 400
    assert {(each["code"], each["field"]) for each in answer.json()["errors"]} == {(code, "file")}


@pytest.mark.django_db
@pytest.mark.engine
def test_one_source_is_sent_and_it_can_be_read(posted, slicing):
    def refused(body):
        answer = slicing.post("/config/bundle/", body)
        assert answer.status_code == 400
        return [(each["code"], each["field"]) for each in answer.json()["errors"]]

    file = b64encode(prusa_project()).decode()
    assert refused({"content": "[a]", "file": file}) == [("missing-parameter", "content")]
    assert refused({"file": "no base64"}) == [("invalid-bundle", "file")]
    assert refused({"model": Model.uri_of(uuid4())}) == [("resource-not-found", "model")]


@pytest.mark.django_db
def test_model_too_large_to_be_read_in_a_request_is_refused(slicing, part):
    Model.objects.filter(pk=part["uri"][-37:-1]).update(
        type="3mf", conversion={"status": "complete"}, file_size=300_000_000
    )

    answer = slicing.post("/config/bundle/", {"model": part["uri"]})

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == ("limit-exceeded", "model")
    assert "300,000,000 bytes" in error["title"]
