"""Public interface of slicing."""

from apps.slicing.domain.estimate_samples import Measured as Measured
from apps.slicing.domain.estimate_samples import Recipe as Recipe
from apps.slicing.domain.estimate_samples import measured as measured
from apps.slicing.domain.estimate_samples import meshes_of as meshes_of
from apps.slicing.domain.estimate_samples import recipe_of as recipe_of
from apps.slicing.domain.installed_engines import InstalledEngine as InstalledEngine
from apps.slicing.domain.installed_engines import engine_states as engine_states
from apps.slicing.domain.installed_engines import test_engines as test_engines
from apps.slicing.domain.preset_beds import PresetBed as PresetBed
from apps.slicing.domain.preset_beds import preset_bed as preset_bed
from apps.slicing.domain.preset_beds import preset_exists as preset_exists
from apps.slicing.domain.preset_beds import preset_kind as preset_kind
from apps.slicing.domain.stored_slices import GcodeFile as GcodeFile
from apps.slicing.domain.stored_slices import StoredSlice as StoredSlice
from apps.slicing.domain.stored_slices import config_of_slice as config_of_slice
from apps.slicing.domain.stored_slices import config_reach as config_reach
from apps.slicing.domain.stored_slices import gcode_file as gcode_file
from apps.slicing.domain.stored_slices import get_slice_unchecked as get_slice_unchecked
from apps.slicing.domain.stored_slices import labels_of as labels_of
from apps.slicing.domain.stored_slices import slices_with as slices_with
from apps.slicing.models import Slice
from apps.slicing.provenance import TRACING as TRACING
from apps.slicing.services import presets
from apps.slicing.services.gcodes import expect_gcode as expect_gcode
from apps.slicing.services.gcodes import store_gcode as store_gcode
from apps.slicing.services.presets import PresetRequest as PresetsAsked
from apps.slicing.services.slices import end_slice as end_slice
from apps.slicing.services.slices import find_or_make_slice as find_or_make_slice
from apps.slicing.services.slices import make_plate_slice as make_plate_slice
from core.auth_user import Person
from core.state_machine import event_schemas

EVENTS = event_schemas(Slice)


def find_or_make_preset_config(*, owner: Person, asked: PresetsAsked) -> str:
    """The URI of a config of these presets, of `owner`'s; raises what its POST is refused with."""
    return presets.find_or_make_preset_config(owner=owner, asked=asked).uri
