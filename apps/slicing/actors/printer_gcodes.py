"""Job: test slice with the confirmed G-code of a printer."""

from dataclasses import asdict

from apps.slicing.domain.installed_engines import limits, prusaslicer
from apps.slicing.domain.printer_gcodes import check_heat, settings_of_test
from apps.slicing.engines.base import SliceFailed
from apps.slicing.engines.crash_diagnosis import write_cube
from apps.slicing.models import PrinterGcode
from core.errors import ErrorEntry, error_entry
from core.files import blobs
from core.queue.row_jobs import row_job
from core.text.server_paths import without_folders

SIDE = 20.0  # mm, of the cube
FIGURES = (
    *("highest_nozzle_temperature", "highest_bed_temperature", "build_time_seconds"),
    *("layers", "filament_mm", "bounds"),
)
_Status = PrinterGcode.Status


@row_job(
    "slices",
    of=PrinterGcode,
    begun_in=[_Status.QUEUED, _Status.PROCESSING],
    where={"deleted": None},
)
def try_printer_gcode(row: PrinterGcode) -> None:
    """Slice a cube with confirmed G-code: queued -> processing -> processed, or -> error."""
    if row.status == _Status.QUEUED:
        row.move(_Status.PROCESSING)
    try:
        settings = settings_of_test(row)
        with blobs.scratch_dir() as folder:
            work = folder / "work"
            work.mkdir()
            write_cube(folder / "cube.stl", SIDE)
            sliced = prusaslicer().slice(folder / "cube.stl", settings, work, limits=limits())
        check_heat(sliced.figures, row.start_gcode)
    except SliceFailed as failure:
        row.move(_Status.ERROR, errors=[_fault(failure)])
        return
    figures = asdict(sliced.figures)
    test = {name: figures[name] for name in FIGURES}
    row.move(_Status.PROCESSED, test={**test, "engine_version": prusaslicer().version()})


def _fault(failure: SliceFailed) -> ErrorEntry:
    if failure.code == "model-too-large":  # the cube is not: it is what the G-code lays down
        title = "The G-code extrudes far beside the bed, or above it. Correct the moves in its "
        return error_entry("object-off-bed", f"{title}lines. {without_folders(failure.title)}")
    return error_entry(failure.code, without_folders(failure.title))
