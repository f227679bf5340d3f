"""Slicers that agents run, and their jobs, as JSON and back."""

from typing import Annotated, TypedDict

from django.core.validators import MaxValueValidator, MinValueValidator
from rest_framework import serializers

from apps.slicing.interface import EngineJob, Program, TakenJob
from core.api.fields import Choice, Number, StrictSerializer, StrictText
from core.api.openapi.response_types import Uri
from core.files.signed_urls import download_url, upload_url

ISOLATIONS = ("bubblewrap", "namespaces", "limits")
STATES = ("running", "done", "failed")
MAX_VERSION, MAX_STAGE, MAX_LOG = 100, 100, 70_000
MAX_SECONDS = 1e6
LOCATION_LIVES = 600  # s


class EngineSerializer(StrictSerializer):
    """A slicer that an agent runs."""

    program = Choice(choices=Program.choices)
    version = StrictText(max_length=MAX_VERSION, help_text="Version of the slicer.")
    isolation = Choice(
        choices=[(name, name) for name in ISOLATIONS],
        help_text="How the slicer is confined on the agent's computer.",
    )


def engine_list() -> serializers.ListField:
    """The slicers that an agent runs; null where its program reports none."""
    return serializers.ListField(
        child=EngineSerializer(),
        max_length=len(Program),
        required=False,
        allow_null=True,
        default=None,
        help_text="Slicers that the agent runs.",
    )


class TakeEngineJobSerializer(StrictSerializer):
    """What an agent can slice with."""

    programs = serializers.ListField(
        child=Choice(choices=Program.choices),
        max_length=len(Program),
        help_text="Slicers that can take a job now.",
    )


class JobFileAnswer(TypedDict):
    """An input file of an engine job."""

    name: str
    content: Annotated[Uri, "Signed URL of the file, valid for ten minutes."]
    sha256: str
    size: Annotated[int, "Size of the file, bytes."]


class EngineJobAnswer(TypedDict):
    """A slice that an agent is to make."""

    id: Annotated[str, "UUID of the job."]
    program: Annotated[str, Program]
    model: Annotated[str, "Name of the model among the files."]
    files: list[JobFileAnswer]
    upload: Annotated[Uri, "Signed URL for a PUT of the G-code."]
    time_limit: Annotated[int, "Longest run time of the slicer, s."]
    output_limit: Annotated[int, "Largest G-code, bytes."]


class TakenJobAnswer(TypedDict):
    """The next job of an agent's slicers."""

    job: Annotated[EngineJobAnswer | None, "Null: no job waits."]


def job_resource(job: TakenJob | None) -> TakenJobAnswer:
    """A job with the URLs of its files."""
    if job is None:
        return {"job": None}
    files: list[JobFileAnswer] = [
        {
            "name": name,
            "content": download_url(
                sha256,
                media_type="application/octet-stream",
                filename=name,
                seconds=LOCATION_LIVES,
            ),
            "sha256": sha256,
            "size": size,
        }
        for name, sha256, size in job.files
    ]
    return {
        "job": {
            "id": str(job.uuid),
            "program": job.program,
            "model": job.model,
            "files": files,
            "upload": upload_url("engine-job", job.uuid, max_bytes=job.output_limit),
            "time_limit": job.time_limit,
            "output_limit": job.output_limit,
        }
    }


class EngineReportSerializer(StrictSerializer):
    """What became of a job of a slicer."""

    state = Choice(choices=[(name, name) for name in STATES])
    progress = Number(
        required=False,
        default=0.0,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Progress of the slice, from 0 to 1.",
    )
    stage = StrictText(
        max_length=MAX_STAGE,
        required=False,
        allow_blank=True,
        default="",
        help_text="What the slicer does now, as it prints it.",
    )
    log = StrictText(
        max_length=MAX_LOG,
        required=False,
        allow_blank=True,
        default="",
        help_text="End of the slicer's output.",
    )
    seconds = Number(
        required=False,
        default=0.0,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_SECONDS)],
        help_text="Run time of the slicer, s.",
    )
    version = StrictText(
        max_length=MAX_VERSION,
        required=False,
        allow_blank=True,
        default="",
        help_text="Version of the slicer.",
    )
    reason = Choice(
        choices=EngineJob.Reason.choices,
        required=False,
        allow_null=True,
        default=None,
        help_text="Why the slicer failed.",
    )


class EngineReportAnswer(TypedDict):
    """Whether the job goes on."""

    wanted: Annotated[bool, "Whether the job is still wanted; false: stop the slicer."]
