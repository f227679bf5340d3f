"""Agents, and what goes over their line, as JSON and back."""

from datetime import datetime
from typing import Annotated, Literal, TypedDict

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.utils import timezone
from rest_framework import serializers

from apps.erp.base.serializers.resources import answer_of, resource
from apps.erp.printing.models.agents import Agent
from apps.erp.printing.serializers.connections import (
    MAX_TESTS,
    SearchOrderAnswer,
    SearchReportSerializer,
    TestOrderAnswer,
    TestReportSerializer,
    host_list,
    test_order,
)
from apps.erp.printing.serializers.engine_jobs import engine_list
from apps.erp.printing.services.connections import pending_search, pending_tests
from apps.erp.printing.services.timelapses import frame_interval
from apps.erp.printing.services.watching import watched_printers
from apps.erp.production.models.attempts import WISHES, Attempt
from apps.slicing.interface import GcodeFile
from core.api.fields import (
    Choice,
    Number,
    StrictBoolean,
    StrictSerializer,
    StrictText,
    WholeNumber,
)
from core.api.openapi.response_types import FreeJson, Uri
from core.files.signed_urls import download_url
from machines.drivers import ExclusionResult, MachineStatus
from machines.states import OPEN, AttemptState

MAX_MACHINES, MAX_REPORTS, MAX_SKIPS = 500, 500, 1000
MAX_HEATERS, MAX_HEATER_NAME, MAX_TRAYS = 20, 200, 40
MAX_TEXT = 200  # characters of a machine's words
LONG_AGO = 90 * 24 * 3600  # s
MAX_FILAMENT = 1e8  # mm
MAX_SECONDS = 1e7
MAX_LAYERS = 1_000_000
LOCATION_LIVES = 600  # s
# How long an agent waits when nothing calls it, s; the shorter where something is about to begin.
REST, SHORT_REST = 10, 2
_HASTE = (AttemptState.PLANNED, AttemptState.SENT, AttemptState.ARMED)


class AgentBeside(TypedDict):
    """What an agent tells beside its columns."""

    status: Literal["never-seen", "online", "offline"]


AgentAnswer = answer_of(Agent, AgentBeside)


def agent_resource(agent: Agent) -> FreeJson:
    """An agent as JSON."""
    beside: AgentBeside = {"status": agent.standing}  # type: ignore[typeddict-item]
    return {**resource(agent), **beside}


# ---------------------------------------------------------------- pairing


class CodeAnswer(TypedDict):
    """What pairs a program with an agent."""

    code: Annotated[str, "Pairing code, valid once; returned only on creation."]
    expires: datetime


class PairSerializer(StrictSerializer):
    """The code that somebody made."""

    code = StrictText(max_length=20)


class PairAnswer(TypedDict):
    """What pairs a program with the platform."""

    agent: Uri
    name: str
    token: Annotated[str, "Bearer token of the agent, returned only on pairing."]


# ---------------------------------------------------------------- exchange


class HeaterSerializer(StrictSerializer):
    """Temperature of a nozzle, a bed or a chamber."""

    heater = StrictText(max_length=MAX_HEATER_NAME, help_text="Name of the heater at the machine.")
    actual = Number(help_text="Actual temperature, °C.")
    target = Number(
        required=False,
        allow_null=True,
        default=None,
        help_text="Target temperature, °C; 0: off; null: not reported.",
    )


class DetailsSerializer(StrictSerializer):
    """Details of a print, for people who watch it."""

    layer = WholeNumber(
        required=False, allow_null=True, default=None, min_value=0, max_value=MAX_LAYERS
    )
    layers = WholeNumber(
        required=False, allow_null=True, default=None, min_value=0, max_value=MAX_LAYERS
    )
    seconds_left = Number(
        required=False,
        allow_null=True,
        default=None,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_SECONDS)],
    )
    speed = Number(
        required=False,
        allow_null=True,
        default=None,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )
    has_filament = StrictBoolean(required=False, allow_null=True, default=None)


class TraySerializer(StrictSerializer):
    """A tray of a filament changer, or an external spool."""

    slot = StrictText(max_length=MAX_HEATER_NAME, help_text="Name of the slot at the machine.")
    material = StrictText(max_length=MAX_HEATER_NAME, help_text="Material, as reported.")
    color = StrictText(
        max_length=7,
        required=False,
        allow_null=True,
        default=None,
        validators=[RegexValidator(r"^#[0-9a-f]{6}\Z", "Send a colour as #rrggbb.")],
    )
    remaining = Number(
        required=False,
        allow_null=True,
        default=None,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
    )
    is_active = StrictBoolean(required=False, default=False)


class SightSerializer(StrictSerializer):
    """What a machine is at."""

    printer = StrictText(max_length=500)
    state = Choice(choices=[(word.value, word.value) for word in MachineStatus])
    job = StrictText(max_length=MAX_TEXT, required=False, allow_null=True, default=None)
    progress = Number(required=False, allow_null=True, default=None)
    text = StrictText(max_length=MAX_TEXT, required=False, allow_null=True, default=None)
    temperatures = serializers.ListField(
        child=HeaterSerializer(),
        max_length=MAX_HEATERS,
        required=False,
        default=list,
        help_text="Temperatures of its nozzles, bed and chamber.",
    )
    trays = serializers.ListField(
        child=TraySerializer(),
        max_length=MAX_TRAYS,
        required=False,
        default=list,
        help_text="Filament in the trays of its changers, and on the external spool.",
    )
    details = DetailsSerializer(
        required=False,
        allow_null=True,
        default=None,
        help_text="Layers, time left, speed and filament sensor.",
    )
    address = StrictText(
        max_length=200,
        required=False,
        allow_null=True,
        default=None,
        help_text="Address of the host in the shop, without credentials.",
    )
    host = StrictText(
        max_length=200,
        required=False,
        allow_null=True,
        default=None,
        help_text="Name and version of the host's program.",
    )


class SkipSerializer(StrictSerializer):
    """What became of an object that was to be left out."""

    object = StrictText(max_length=64)
    how = Choice(choices=[(how.value, how.value) for how in ExclusionResult])


class AttemptReportSerializer(StrictSerializer):
    """What became of an attempt, `ago` seconds before this is sent."""

    name = StrictText(max_length=64)
    status = Choice(choices=[(state.value, state.value) for state in AttemptState])
    boot = StrictText(max_length=MAX_TEXT, required=False, allow_blank=True, default="")
    text = StrictText(max_length=MAX_TEXT, required=False, allow_blank=True, default="")
    ago = Number(
        required=False, default=0.0, validators=[MinValueValidator(0), MaxValueValidator(LONG_AGO)]
    )
    progress = Number(
        required=False,
        allow_null=True,
        default=None,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Print progress, from 0 to 1.",
    )
    filament = Number(
        required=False,
        allow_null=True,
        default=None,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_FILAMENT)],
        help_text="Filament used so far, mm, if the machine measures it.",
    )
    skips = serializers.ListField(
        child=SkipSerializer(), max_length=MAX_SKIPS, required=False, default=list
    )


class ExchangeSerializer(StrictSerializer):
    """What an agent sees."""

    version = StrictText(max_length=MAX_TEXT, required=False, allow_blank=True, default="")
    session = StrictText(
        max_length=64,
        required=False,
        allow_blank=True,
        default="",
        help_text="Session ID of the program: another session returns 409 for a minute.",
    )
    machines = serializers.ListField(
        child=SightSerializer(), max_length=MAX_MACHINES, required=False, default=list
    )
    reports = serializers.ListField(
        child=AttemptReportSerializer(), max_length=MAX_REPORTS, required=False, default=list
    )
    hosts = host_list()
    engines = engine_list()
    tests = serializers.ListField(
        child=TestReportSerializer(),
        max_length=MAX_TESTS,
        required=False,
        default=list,
        help_text="Progress of connection tests.",
    )
    searches = serializers.ListField(
        child=SearchReportSerializer(),
        max_length=MAX_TESTS,
        required=False,
        default=list,
        help_text="Progress of searches for hosts.",
    )


class PartAnswer(TypedDict):
    """An object of a print, by the label that its gcode gives it."""

    name: str
    number: Annotated[int, "Object number, from 0, in label order."]
    firmware: Literal["marlin", "reprapfirmware", "klipper"]
    label: Annotated[
        str | None, "Name by which Klipper excludes it, if another slicer named it; null: `name`."
    ]


class WorkAnswer(TypedDict):
    """An attempt that is open on a machine of the agent's."""

    name: str
    printer: Uri
    status: Annotated[str, Literal[*(state.value for state in OPEN)]]  # type: ignore[valid-type]
    boot: str | None
    wanted: Annotated[str, Literal[*(state.value for state in WISHES)]] | None  # type: ignore[valid-type]
    skip: Annotated[list[PartAnswer], "Objects to exclude from the print."]
    frame_interval: Annotated[
        int | None, "Interval of pictures for its timelapse, s; null: send none."
    ]


class ExchangeAnswer(TypedDict):
    """What an agent has to do, and after how many seconds it comes again, if no bell rings."""

    attempts: list[WorkAnswer]
    next_seconds: int
    tests: Annotated[list[TestOrderAnswer], "Connection tests to do."]
    search: Annotated[SearchOrderAnswer | None, "Search for hosts to do."]
    watched: Annotated[list[Uri], "Printers that users watch: report them every 2 s."]
    engine_jobs: Annotated[int, "Number of jobs that wait for the agent's slicers."]


def exchange_of(agent: Agent, attempts: list[Attempt], engine_jobs: int) -> ExchangeAnswer:
    """Open attempts, tests and a search, as an agent gets them; `engine_jobs` wait for it."""
    now = timezone.now()
    haste = any(attempt.state in _HASTE for attempt in attempts)
    orders: list[WorkAnswer] = [
        {
            "name": attempt.name,
            "printer": attempt.printer.uri,
            "status": attempt.status,
            "boot": attempt.boot or None,
            "wanted": attempt.wanted,
            "skip": [
                {
                    "name": one["name"],
                    "number": one["number"],
                    "firmware": one["firmware"],
                    "label": one.get("label") or None,
                }
                for one in attempt.skips
                if one["how"] is None
            ],
            "frame_interval": frame_interval(attempt, now),
        }
        for attempt in attempts
    ]
    search, watched = pending_search(agent), watched_printers(agent)
    return {
        "attempts": orders,
        "next_seconds": SHORT_REST if haste or watched else REST,
        "tests": [test_order(test) for test in pending_tests(agent)],
        "search": {"id": search["id"], "addresses": search["addresses"]} if search else None,
        "watched": [printer.uri for printer in watched],
        "engine_jobs": engine_jobs,
    }


# ---------------------------------------------------------------- permit and content


class PermitSerializer(StrictSerializer):
    """What is to begin."""

    name = StrictText(max_length=64)


class PermitAnswer(TypedDict):
    """The one permit."""

    name: str
    granted: datetime


class ContentAnswer(TypedDict):
    """A file to be brought to a machine."""

    content: Annotated[Uri, "Signed URL of the file, valid for ten minutes."]
    sha256: str
    size: Annotated[int, "Size of the file, bytes."]


def content_answer(name: str, found: GcodeFile) -> ContentAnswer:
    """Where the file is fetched, and what it must be."""
    location = download_url(
        found.sha256, media_type="text/x.gcode", filename=name, seconds=LOCATION_LIVES
    )
    return {"content": location, "sha256": found.sha256, "size": found.size}
