"""Equipment: printer types, printers, post-processor types, post-processors."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from apps.erp.base.model_fields import (
    Above,
    BureauForeignKey,
    ForeignUriField,
    Money,
    amount_of,
    distance,
    length,
    name_field,
    short_text_field,
    text_field,
)
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import Location
from apps.erp.organisation.models.master_data import Manufacturer, Material
from core.state_machine import Stateful, fully_connected
from machines.drivers import MachineStatus
from machines.states import PlateState

MAX_LAYER_HEIGHT = 5  # mm
MAX_TIMES = 100  # of an estimate: beyond it is a mistake
MAX_POWER = 100_000  # W


class BuildVolume(NamedTuple):
    """How far a printer reaches, mm."""

    x: float
    y: float
    z: float


class PrinterType(BureauResource):
    """A model of printer: what fits, how runs are packed, and what an hour costs.

    minimum_packing_distance : between any two parts of a run, mm
    allowed_orientations     : how parts may be turned at most
    config_uri               : what line items are sliced with that name no other
    preset_uri, print_preset_uri : what they are sliced with before that: the printer's own presets
    printer_gcode_uri        : confirmed start and end G-code for the printer's preset
    engine_uri               : slicer in a shop that makes the G-code of runs; null: the platform's
    outline                  : of the preset's bed where that is no rectangle, [[x, y]], mm, from
                               the corner of the box around it
    filaments                : the preset of each material: {material, preset}, URIs
    firmware                 : how gcode names the objects on a plate; null: as the preset's does
    slice_runs               : whether a run is sliced once it is packed
    plan_runs                : whether waiting pieces are packed, sliced and queued automatically
                               for printers that start prints automatically
    refresh_ratio            : how much of the powder in a build must be fresh; null: no powder
    time_factor              : how much longer than the engine's estimate prints really take
    time_per_run             : s, beside printing: heating, levelling, clearing the bed
    power                    : average while it prints, W; null: no energy in the cost
    supports, infill, layer_height : print options of line items that say nothing of them; per cent
                               and mm, null: as the config or the preset has it

    Stored and returned, without effect: technology.
    """

    class Packer(models.TextChoices):
        BOX = "box_packer"
        PREMIUM = "premium_packer"

    class Orientations(models.TextChoices):
        FREE = "free"
        UPRIGHT = "upright"
        AS_IS = "as_is"

    class Packing(models.TextChoices):
        VOLUME = "volume"
        PLATE = "plate"

    class Firmware(models.TextChoices):
        MARLIN = "marlin"
        KLIPPER = "klipper"
        NONE = "none"

    class Supports(models.TextChoices):
        AUTO = "auto"
        ON = "on"
        OFF = "off"

    KIND = "printer-type"
    RIGHT = "printer_type.all"
    GROUPS = {"build_volume": {"x": "build_x", "y": "build_y", "z": "build_z"}}
    PRIVATE = frozenset({"outline"})

    name = name_field()
    description = text_field()
    manufacturer = BureauForeignKey(Manufacturer, null=True, blank=True)
    technology = short_text_field()
    build_x = length()
    build_y = length()
    build_z = length()
    build_packer_type = models.CharField(max_length=16, choices=Packer, default=Packer.BOX)
    minimum_packing_distance = distance(default=1)
    allowed_orientations = models.CharField(
        max_length=16, choices=Orientations, default=Orientations.FREE
    )
    packing_mode = models.CharField(max_length=16, choices=Packing, default=Packing.VOLUME)
    config_uri = ForeignUriField(kind="config", null=True, blank=True)
    preset_uri = ForeignUriField(kind="preset", null=True, blank=True)
    print_preset_uri = ForeignUriField(kind="preset", null=True, blank=True)
    printer_gcode_uri = ForeignUriField(kind="printer-gcode", null=True, blank=True)
    engine_uri = ForeignUriField(kind="engine", null=True, blank=True)
    outline = models.JSONField(default=list, blank=True)
    filaments = models.JSONField(default=list, blank=True)
    firmware = models.CharField(max_length=16, choices=Firmware, null=True, blank=True)  # noqa: DJ001
    slice_runs = models.BooleanField(default=False)
    plan_runs = models.BooleanField(default=False, db_default=False)
    refresh_ratio = models.FloatField(
        null=True, blank=True, validators=[Above(0), MaxValueValidator(1)]
    )
    time_factor = models.FloatField(default=1, validators=[Above(0), MaxValueValidator(MAX_TIMES)])
    time_per_run = amount_of(default=0)
    supports = models.CharField(max_length=8, choices=Supports, default=Supports.AUTO)
    infill = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0), MaxValueValidator(100)]
    )
    layer_height = models.FloatField(
        null=True, blank=True, validators=[Above(0), MaxValueValidator(MAX_LAYER_HEIGHT)]
    )
    materials = models.ManyToManyField(Material, blank=True, related_name="+")
    power = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0), MaxValueValidator(MAX_POWER)]
    )
    running_cost_per_hour = Money(null=True, blank=True)
    material_cost_scale_factor = amount_of(default=1)
    print_cost_scale_factor = amount_of(default=1)
    constant_overhead = Money(null=True, blank=True)

    @property
    def volume(self) -> BuildVolume:
        """The build volume, mm."""
        return BuildVolume(self.build_x, self.build_y, self.build_z)


class Printer(BureauResource, Stateful):
    """A printer at a location.

    driver      : how its machine is reached; null: not at all, and its status is typed by hand
    agent       : who reaches it, where that is not a person
    plate       : what lies on its bed, as far as is known
    maintenance : whether it takes no runs for now
    auto_start  : whether it starts queued runs automatically when its bed is clear
    timelapse   : whether its agent sends pictures during prints, of which a video can be made
    loaded      : the lots of material that are in it
    watched     : when a person looked at it last

    Stored and returned, without effect: modeler.
    """

    class Status(models.TextChoices):
        IDLE = "idle"
        OFFLINE = "offline"
        ERROR = "error"
        PRINTING = "printing"
        UNKNOWN = "unknown"

    class Machine(models.TextChoices):
        MANUAL = "manual"
        OCTOPRINT = "octoprint"
        MOONRAKER = "moonraker"
        PRUSALINK = "prusalink"
        BAMBU = "bambu"
        ELEGOO = "elegoo"

    # It is what people, or its machine, say.
    TRANSITIONS = fully_connected(Status)

    KIND = "printer"
    PARENT = "location"
    RIGHT = "printer.all"
    READ_ONLY = frozenset({"plate"})
    PRIVATE = frozenset({"watched"})

    location = BureauForeignKey(Location)
    printer_type = BureauForeignKey(PrinterType)
    name = name_field()
    status = models.CharField(max_length=16, choices=Status, default=Status.UNKNOWN)
    modeler = short_text_field()
    driver = models.CharField(max_length=16, choices=Machine, null=True, blank=True)  # noqa: DJ001
    agent = BureauForeignKey("erp.Agent", null=True, blank=True, related_name="printers")
    plate = models.CharField(
        max_length=16, choices=[(word.value, word.value) for word in PlateState], default="unknown"
    )
    maintenance = models.BooleanField(default=False)
    auto_start = models.BooleanField(default=False, db_default=False)
    timelapse = models.BooleanField(default=False, db_default=False)
    loaded = models.ManyToManyField("erp.Stock", blank=True, related_name="+")
    watched = models.DateTimeField(null=True, editable=False)
    camera_at: datetime | None  # time of the newest picture of its camera, where a query adds it

    @property
    def driven(self) -> bool:
        """Whether a program speaks with its machine."""
        return bool(self.driver) and self.driver != self.Machine.MANUAL

    @property
    def doing(self) -> MachineStatus | None:
        """What its machine does by its agent's last report; None where no agent drives it."""
        if not self.driven:
            return None
        return MachineStatus(self._seen.get("state", MachineStatus.OFFLINE))

    @property
    def job(self) -> str | None:
        """The file that its machine shows, as its agent last reported."""
        job: str | None = self._seen.get("job")
        return job

    @property
    def _seen(self) -> Mapping[str, Any]:
        agent = self.agent if self.driven else None
        return agent.sees(self) if agent and agent.online else {}


class PostProcessorType(BureauResource):
    """A way to finish parts, and what one part costs; `duration` in seconds.

    Stored and returned, without effect: materials.
    """

    KIND = "post-processor-type"
    RIGHT = "post_processor_type.all"

    name = name_field()
    description = text_field()
    manufacturer = BureauForeignKey(Manufacturer, null=True, blank=True)
    materials = models.ManyToManyField(Material, blank=True, related_name="+")
    cost = Money(null=True, blank=True)
    duration = amount_of(null=True, blank=True)


class PostProcessor(BureauResource):
    """A machine or a bench at a location, where parts are finished; `duration` in seconds."""

    KIND = "post-processor"
    PARENT = "location"
    RIGHT = "post_processor.all"

    location = BureauForeignKey(Location)
    post_processor_type = BureauForeignKey(PostProcessorType)
    name = name_field()
    duration = amount_of(null=True, blank=True)
