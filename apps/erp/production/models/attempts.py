"""Print attempts: at most one open per printer and per run."""

from datetime import datetime
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from apps.erp.base.model_fields import BureauForeignKey, text_field, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.inventory.models.lots import Stock
from apps.erp.organisation.models.equipment import Printer
from apps.erp.production.models.runs import Run
from core.state_machine import Stateful
from machines import states
from machines.states import ENDS, AttemptState

MAX_EVIDENCE = 50  # entries

_DIGITS = 12  # of its key, in the name of its file
_LONGEST = 20  # characters of the run's name, in it
# Commands of a machine while it prints.
WISHES = (AttemptState.PRINTING, AttemptState.PAUSED, AttemptState.STOPPED)
_WISHES = [(state.value, state.value) for state in WISHES]
_OPEN = [state.value for state in states.OPEN]


class Attempt(BureauResource, Stateful):
    """One try to print a run on a printer.

    name             : of its file at the machine, which no other attempt has
    detached         : whether a person took the run out of its hands: it moves nothing any more
    began, ended     : when the machine did; cleared: when a person took it off the plate
    printing_seconds : without pauses; estimated_seconds: by the slicer alone
    progress         : how far it was when it was last reported, a part of 1
    filament_mm      : what the machine itself counted
    needs            : what all of it takes, as it was when it was allowed to start
    used             : what it took: {volume (cm3), mass (g), source}
    loaded           : the lots that were in the printer from when it was allowed to start
    wanted           : what its machine is to do, where that is another thing than it does
    skips            : what is to be left out of it: {piece, name, number, firmware, label, how};
                       piece is None: of an object {..., title}
    boot             : of the host that took its file
    evidence         : what was said of it, by whom: {at, by, what}
    """

    TRANSITIONS = {
        state.value: frozenset(to.value for to in following)
        for state, following in states.TRANSITIONS.items()
    }
    OPEN: ClassVar = tuple(_OPEN)
    ENDED: ClassVar = tuple(state.value for state in ENDS)

    KIND = "attempt"
    PARENT = "run"
    FIXED = frozenset({"printer"})
    READ_ONLY = frozenset(
        {
            "name",
            "detached",
            "began",
            "ended",
            "cleared",
            "printing_seconds",
            "estimated_seconds",
            "progress",
            "used",
            "wanted",
            "loaded",
            "skips",
            "evidence",
        }
    )
    PRIVATE = frozenset({"creator", "printing_since", "boot", "needs", "filament_mm"})

    run = BureauForeignKey(Run, related_name="attempts")
    printer = BureauForeignKey(Printer, related_name="attempts")
    name = models.CharField(max_length=64, unique=True)
    status = models.CharField(
        max_length=16,
        choices=[(state.value, state.value) for state in AttemptState],
        default=AttemptState.PLANNED.value,
    )
    detached = models.BooleanField(default=False)
    began = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    cleared = models.DateTimeField(null=True, blank=True)
    printing_seconds = models.FloatField(null=True, blank=True)
    printing_since = models.DateTimeField(null=True, blank=True)
    estimated_seconds = models.FloatField(null=True, blank=True)
    progress = models.FloatField(null=True, blank=True)
    filament_mm = models.FloatField(null=True, blank=True)
    needs = models.JSONField(default=dict, blank=True)
    used = models.JSONField(null=True, blank=True)
    wanted = models.CharField(max_length=16, choices=_WISHES, null=True, blank=True)  # noqa: DJ001
    skips = models.JSONField(default=list, blank=True)
    boot = models.CharField(max_length=200, blank=True, default="")
    loaded = models.ManyToManyField(Stock, blank=True, related_name="+")
    notes = text_field()
    evidence = models.JSONField(default=list, blank=True)
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["printer"], condition=Q(status__in=_OPEN), name="one_attempt_on_a_printer"
            ),
            models.UniqueConstraint(
                fields=["run"],
                condition=Q(status__in=_OPEN, detached=False),
                name="one_attempt_of_a_run",
            ),
        ]
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(fields=["bureau", "status", "uuid"], name="attempt_status"),
            models.Index(fields=["bureau", "ended"], name="attempt_ended"),
        ]

    @property
    def state(self) -> AttemptState:
        """Its status, as the rules know it."""
        return AttemptState(self.status)

    def seconds_printed(self, now: datetime) -> float | None:
        """For how long it has printed by `now`, without pauses; None where it has not begun."""
        if self.printing_since is None:
            return self.printing_seconds
        return (self.printing_seconds or 0.0) + (now - self.printing_since).total_seconds()

    def named(self) -> str:
        """A name that every host takes and nothing else has: letters, digits and dashes."""
        words = "".join(c if c.isascii() and c.isalnum() else "-" for c in self.run.name.lower())
        return f"{words[:_LONGEST].strip('-') or 'run'}-{self.uuid.hex[-_DIGITS:]}.gcode"

    def note(self, *, at: Any, by: str, what: str) -> None:
        """Keep what was said of it; of many words the last."""
        said = {"at": at.isoformat(), "by": by, "what": what}
        self.evidence = [*self.evidence, said][-MAX_EVIDENCE:]


def loaded_runs() -> models.QuerySet:
    """Which `stock` was in the printer of which `attempt`, of those that began."""
    rows: models.QuerySet = Attempt.loaded.through.objects.filter(attempt__began__isnull=False)
    return rows
