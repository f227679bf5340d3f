"""The catalogue of presets over HTTP; where an engine is needed, it is the real one."""

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from apps.slicing.domain.engine_room import prusaslicer
from apps.slicing.serializers.preset import PresetAnswer
from tests.slicing.maker import BUNDLE

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.engine,
    pytest.mark.usefixtures("presets_folder"),
]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def listed(slicing):
    """`listed("filter[kind]=print")`: the presets of a list."""

    def get(query: str = "") -> list[dict]:
        answer = slicing.get(f"/preset/?page[limit]=1000&{query}")
        assert answer.status_code == 200, answer.json()
        return answer.json()["resources"]

    return get


def names(presets: list[dict]) -> list[str]:
    return sorted(preset["name"] for preset in presets)


def test_a_printer_is_told_with_its_bed_and_what_to_begin_with(slicing, listed):
    (flat,) = listed("search[name]=Acme flat&filter[nozzle_diameter]=0.4")

    assert set(flat) == set(PresetAnswer.__annotations__)
    assert (flat["kind"], flat["vendor"], flat["version"]) == ("printer", "Acme & Sons", "1.2.3")
    assert flat["engine_version"] == prusaslicer().version()
    assert (flat["usable"], flat["reasons"]) == (True, [])
    assert flat["bed"]["outline"] == [[5.0, 5.0], [205.0, 5.0], [205.0, 155.0], [5.0, 155.0]]
    assert slicing.get(flat["default_print"]).json()["name"] == "0.20 mm normal @ACME"
    assert slicing.get(flat["default_filament"]).json()["name"] == "Acme PLA"
    assert (flat["layer_height"], flat["temperatures"]) == (None, None)
    assert slicing.get(flat["uri"]).json() == flat


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("filter[kind]=printer&filter[usable]=false", ["Acme Careless", "Acme Double"]),
        ("filter[layer_height]%3C0.2&filter[kind]=print", ["0.10 mm fine @ACME"]),
        ("filter[filament_type]=PETG", ["Acme PETG"]),
        ("filter[printer_model]=Acme Round %26 Tall", ["Acme Round"]),
        ("filter[vendor]=Nobody", []),
        ("search[name]=%25", []),
        ("filter[kind]=print&sort=-layer_height&page[limit]=1", ["0.30 mm quick @ACME"]),
    ],
)
def test_the_list_can_be_asked(listed, query, found):
    assert names(listed(query)) == found


def test_what_fits_a_printer_and_a_print_can_be_asked_for(listed):
    (wide,) = listed("filter[nozzle_diameter]=0.6")
    (coarse,) = listed("search[name]=0.30 mm")

    fitting = listed(f"filter[printer]={wide['uri']}")
    both = listed(f"filter[printer]={wide['uri']}&filter[print]={coarse['uri']}")

    assert names(fitting) == ["0.30 mm quick @ACME", "Acme PETG", "Acme PLA", "Generic PLA @ACME"]
    assert names(both) == ["Acme PLA", "Generic PLA @ACME"]
    assert listed(f"filter[printer]={coarse['uri']}") == []


def test_pages_keep_what_was_asked(slicing):
    first = slicing.get("/preset/?filter[kind]=print&page[limit]=2&sort=name").json()
    second = slicing.get(first["links"]["next"]).json()

    assert first["meta"] == {"count": 3}
    assert names(first["resources"] + second["resources"]) == [
        "0.10 mm fine @ACME",
        "0.20 mm normal @ACME",
        "0.30 mm quick @ACME",
    ]
    assert second["links"]["next"] is None


def test_strangers_and_other_verbs_are_refused(slicing, client_of, listed):
    uri = listed()[0]["uri"]

    assert client_of("slicing").get("/preset/").status_code == 401
    assert slicing.post("/preset/", {}).status_code == 405
    assert slicing.delete(uri).status_code == 405
    assert slicing.get("/preset/01a1fe8b-701d-7002-a193-fe3a9263b851/").status_code == 404
    assert slicing.get("/preset/?filter[colour]=red").status_code == 400


def test_a_package_that_is_upgraded_is_read_anew_and_its_presets_keep_their_uris(
    slicing, listed, presets_folder
):
    (flat,) = listed("filter[printer_model]=Acme Flat&filter[nozzle_diameter]=0.6")

    newer = BUNDLE.replace("config_version = 1.2.3", "config_version = 1.2.40")
    (presets_folder / "Acme.ini").write_text(newer)

    assert slicing.get(flat["uri"]).json()["version"] == "1.2.40"


def test_a_bundle_that_cannot_be_read_is_left_out_and_the_rest_stays(
    listed, presets_folder, capsys
):
    (presets_folder / "Evil.ini").write_text("[print:P]\nperimeters = 1\x00\n")
    (presets_folder / "Worse.ini").write_text("[print:P]\ninherits = P\n")

    call_command("presets")

    told = capsys.readouterr().out
    assert "Evil: left out. Line 2: the character U+0000 is not allowed" in told
    assert "Acme & Sons: Acme Flat: usable" in told
    assert "Acme & Sons: Acme Double: It has several extruders" in told
    (circle,) = listed("filter[vendor]=Worse")
    assert "inherits from itself" in circle["reasons"][0]


def test_the_command_slices_a_cube_for_each_printer(capsys):
    call_command("presets", check=True, vendor="Acme & Sons")

    told = capsys.readouterr().out.splitlines()
    assert sum(line.endswith(": usable") for line in told) == 3
    with pytest.raises(CommandError, match="Acme & Sons"):
        call_command("presets", vendor="Nobody")


@pytest.mark.slow
def test_the_installed_package_offers_printers_of_a_dozen_vendors_that_slice(capsys):
    """One printer of each vendor; `make presets` tries them all."""
    installed = type(settings.BASE_DIR)("/usr/share/PrusaSlicer/profiles")
    if not installed.is_dir():
        pytest.skip("The package of PrusaSlicer has no presets here.")
    settings.PRESETS = installed

    call_command("presets", check=True, most=1)

    told = capsys.readouterr().out.splitlines()
    assert sum(line.endswith(": usable") for line in told) >= 12
