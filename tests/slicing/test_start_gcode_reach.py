"""Start G-code of raw configs: as far beside the bed as the printer reaches, and no further."""

import pytest

from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.services import fitted_configs
from apps.slicing.services.fitted_configs import FittedOptions, PrinterBed, StartGcodeOffBed

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)

LARGE = "bed_shape = 0x0,300x0,300x300,0x300\nmax_print_height = 200\n"
SMALL = (200.0, 200.0, 200.0)


@pytest.fixture
def fit(client_of, person):
    """`fit(lines, bed="")`: fit a raw config with these lines of start gcode to the small bed."""

    def make(*lines: str, bed: str = LARGE, preset: str | None = None) -> str:
        content = bed + "start_gcode = " + r"\n".join(lines)
        body = {"engine": "slic3r", "content": content}
        answer = client_of("slicing", person).post("/config/raw/", body)
        assert answer.status_code == 201, answer.json()
        return fitted_configs.find_or_make_fitted_config(
            owner=person,
            config=answer.json()["uri"],
            bed=PrinterBed(SMALL, preset),
            options=FittedOptions(),
        )

    return make


def test_purge_line_as_far_beside_the_bed_as_on_the_bed_of_the_config_is_accepted(fit):
    assert fit("G28", "G1 Y-3 F1000", "G1 X60 E9", "G1 X5 Y5")


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (("G28", "G1 X210 Y5 E9 ; purge"), "X210 in line 2 (G1 X210 Y5 E9), 10 mm"),
        (("G1 Y5", "G1 X5 Y280 E9"), "Y280 in line 2 (G1 X5 Y280 E9), 80 mm"),
    ],
)
def test_move_where_the_printer_does_not_reach_is_refused_with_coordinate_and_line(
    fit, lines, place
):
    with pytest.raises(StartGcodeOffBed) as refused:
        fit(*lines)

    assert place in str(refused.value)


def test_config_that_names_no_bed_may_not_go_beside_it(fit):
    with pytest.raises(StartGcodeOffBed, match="Y-3 in line 1"):
        fit("G1 Y-3", bed="")


def test_printer_with_a_preset_reaches_as_far_as_the_start_gcode_of_the_preset(fit, monkeypatch):
    reach = fitted_configs.excursions("G1 Y-3", ((0, 0), (200, 0), (200, 200), (0, 200)))
    bed = prusaslicer().bed({"bed_shape": "0x0,200x0,200x200,0x200", "max_print_height": "200"})
    monkeypatch.setattr(fitted_configs, "absolute_bed", lambda uri: bed)
    monkeypatch.setattr(fitted_configs, "preset_excursions", lambda uri: reach)

    assert fit("G1 Y-3", "G1 X60 E9", preset="preset")
    with pytest.raises(StartGcodeOffBed, match="the printer reaches 3 mm"):
        fit("G1 Y-9", "G1 X60 E9", preset="preset")
