"""Public interface of slicing."""

from uuid import UUID

from apps.slicing.domain.agent_engines import (
    ReportedEngine,
    Shop,
    forget_engines,
    record_engines,
)
from apps.slicing.domain.engine_jobs import (
    EngineReport,
    TakenJob,
    expect_output,
    report_job,
    store_output,
    take_job,
    waiting_jobs,
)
from apps.slicing.domain.estimate_samples import Measured, Recipe, measured, meshes_of, recipe_of
from apps.slicing.domain.installed_engines import InstalledEngine, engine_states, test_engines
from apps.slicing.domain.preset_beds import (
    PresetBed,
    preset_bed,
    preset_exists,
    preset_kind,
    preset_machine,
)
from apps.slicing.domain.stored_slices import (
    GcodeFile,
    StoredGcode,
    StoredSlice,
    config_of_slice,
    config_reach,
    gcode_file,
    gcode_files,
    get_gcode_unchecked,
    get_slice_unchecked,
    labels_of,
    slices_with,
)
from apps.slicing.models import EngineJob, Program, Slice
from apps.slicing.models.slice import PlateBuild, PlatePiece
from apps.slicing.provenance import TRACING
from apps.slicing.services import gcodes, presets
from apps.slicing.services.fitted_configs import (
    FittedOptions,
    PrinterBed,
    config_volume,
    find_or_make_fitted_config,
    object_settings,
)
from apps.slicing.services.gcodes import expect_gcode, store_gcode
from apps.slicing.services.presets import PresetRequest as PresetsAsked
from apps.slicing.services.printer_gcodes import check_printer_gcode
from apps.slicing.services.shop_configs import check_shop_engine, shop_config
from apps.slicing.services.slices import (
    end_slice,
    find_or_make_slice,
    find_slice,
    make_plate_slice,
)
from core.auth_user import Person
from core.state_machine import event_schemas

__all__ = [
    "EVENTS",
    "EngineJob",
    "EngineReport",
    "FittedOptions",
    "GcodeFile",
    "InstalledEngine",
    "Measured",
    "PlateBuild",
    "PlatePiece",
    "PresetBed",
    "PrinterBed",
    "PresetsAsked",
    "Program",
    "Recipe",
    "ReportedEngine",
    "Shop",
    "StoredGcode",
    "StoredSlice",
    "TRACING",
    "TakenJob",
    "check_printer_gcode",
    "check_shop_engine",
    "config_of_slice",
    "config_reach",
    "config_volume",
    "create_gcode",
    "end_slice",
    "engine_states",
    "expect_gcode",
    "expect_output",
    "find_or_make_fitted_config",
    "find_or_make_preset_config",
    "find_or_make_slice",
    "find_slice",
    "forget_engines",
    "gcode_file",
    "gcode_files",
    "get_gcode_unchecked",
    "get_slice_unchecked",
    "labels_of",
    "make_plate_slice",
    "measured",
    "meshes_of",
    "object_settings",
    "preset_bed",
    "preset_exists",
    "preset_kind",
    "preset_machine",
    "recipe_of",
    "record_engines",
    "report_job",
    "shop_config",
    "slices_with",
    "store_gcode",
    "store_output",
    "take_job",
    "test_engines",
    "waiting_jobs",
]

EVENTS = event_schemas(Slice)


def find_or_make_preset_config(*, owner: Person, asked: PresetsAsked) -> str:
    """The URI of a config of these presets, of `owner`'s; raises what its POST is refused with."""
    return presets.find_or_make_preset_config(owner=owner, asked=asked).uri


def create_gcode(*, owner: Person, name: str) -> UUID:
    """Create G-code that waits for its file, see `store_gcode`, and return its key."""
    return gcodes.create(actor=owner, name=name).pk
