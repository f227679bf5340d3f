"""Comparison of configs and presets over HTTP, setting by setting."""

from uuid import uuid4

import pytest

from apps.slicing.domain import catalogue
from apps.slicing.domain.installed_engines import installed_engines, prusaslicer
from apps.slicing.models import Config
from tests.slicing.test_bundle_configs import CHOSEN, bundle
from tests.slicing.vendor_bundle import BUNDLE

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.engine,
    pytest.mark.usefixtures("presets_folder"),
]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def compared(slicing):
    """`compared(uri, other)`: what differs, as (kind, setting): (value, other value)."""

    def compare(first: str, other: str | None = None) -> dict:
        answer = slicing.get(f"{first}differences/", {"other": other} if other else {})
        assert answer.status_code == 200, answer.content
        rows = answer.json()["differences"]
        assert answer.json()["count"] == len(rows)
        return {(row["kind"], row["key"]): (row["first"], row["second"]) for row in rows}

    return compare


@pytest.fixture
def refused(slicing):
    def refuse(first: str, other: str = "", status: int = 400) -> tuple[str, str | None]:
        answer = slicing.get(f"{first}differences/", {"other": other} if other else {})
        assert answer.status_code == status, answer.content
        (error,) = answer.json()["errors"]
        return error["code"], error.get("field")

    return refuse


def test_presets_of_a_kind_are_compared_by_their_values(compared, uri_of):
    differences = compared(uri_of("Acme Flat"), uri_of("Acme Flat 0.6"))

    assert differences == {("printer", "nozzle_diameter"): ("0.4", "0.6")}


def test_config_is_compared_with_the_preset_that_it_inherits_from(slicing, compared):
    content = bundle(parent="Acme Round") + CHOSEN
    config = slicing.post("/config/bundle/", {"content": content}).json()

    differences = compared(config["uri"], config["inherits"][0])

    assert differences["printer", "max_print_height"] == ("130", "180")
    assert differences["printer", "start_gcode"][0] == "G28\\nM109 S[first_layer_temperature]"
    assert {kind for kind, _ in differences} == {"printer"}
    assert ("printer", "machine_max_feedrate_x") not in differences


def test_configs_are_compared_by_kind_and_spelling_is_no_difference(slicing, compared):
    def config(content: str) -> str:
        return slicing.post("/config/raw/", {"engine": "slic3r", "content": content}).json()["uri"]

    one = config("perimeters = 3\nlayer_height = 0.20\nfill_density = 15%\n")
    two = config("perimeters = 4\nlayer_height = 0.2\nfill_density = 20%\nfilament_density = 1.3\n")

    assert compared(one, two) == {
        ("print", "perimeters"): ("3", "4"),
        ("print", "fill_density"): ("15%", "20%"),
        ("filament", "filament_density"): (
            compared(two, one)["filament", "filament_density"][1],
            "1.3",
        ),
    }
    assert compared(one, one) == {}


def test_outdated_config_is_compared_with_its_presets_of_now(
    slicing,
    compared,
    uri_of,
    presets_folder,
):
    body = {"printer": uri_of("Acme Flat"), "overrides": {"perimeters": 5}}
    config = slicing.post("/config/preset/", body).json()
    assert compared(config["uri"]) == {}

    changed = BUNDLE.replace("infill_speed = 80", "infill_speed = 90").replace("1.2.3", "1.3.0")
    (presets_folder / "Acme.ini").write_text(changed)

    assert slicing.get(config["uri"]).json()["preset"]["outdated"]
    assert compared(config["uri"]) == {("print", "infill_speed"): ("80", "90")}
    answer = slicing.get(f"{config['uri']}differences/").json()
    assert [answer[side]["version"] for side in ("first", "second")] == ["1.2.3", "1.3.0"]


def test_long_values_are_shortened(slicing):
    gcode = "; x\\n" * 1000
    uris = [
        slicing.post(
            "/config/raw/", {"engine": "slic3r", "content": f"end_gcode = {gcode}M84 ; {at}\n"}
        ).json()["uri"]
        for at in range(2)
    ]

    answer = slicing.get(f"{uris[0]}differences/", {"other": uris[1]}).json()

    (row,) = answer["differences"]
    assert (row["key"], row["shortened"], len(row["first"])) == ("end_gcode", True, 2000)
    assert answer["equal"] > 200


def test_what_cannot_be_compared_is_refused(
    slicing,
    client_of,
    stranger,
    refused,
    uri_of,
    config,
):
    theirs = client_of("slicing", stranger).post("/config/curated/", {"engine": "slic3r"}).json()
    printer = uri_of("Acme Flat")

    assert refused(config["uri"]) == ("missing-parameter", "other")
    assert refused(printer) == ("missing-parameter", "other")
    assert refused(config["uri"], theirs["uri"]) == ("resource-not-found", "other")
    assert refused(theirs["uri"], config["uri"], 404)[0] == "resource-not-found"
    assert refused(catalogue.Preset.uri_of(uuid4()), printer, 404)[0] == "resource-not-found"
    assert refused(printer, "no URI") == ("resource-not-found", "other")
    kinds = ("property-value-not-in-allowed-values", "other")
    assert refused(printer, uri_of("0.20 mm normal @ACME")) == kinds
    if installed_engines()["cura"].version():
        cura = slicing.post("/config/curated/", {"engine": "cura"}).json()
        assert refused(config["uri"], cura["uri"]) == kinds
    assert Config.objects.filter(deleted=None).count() >= 2
