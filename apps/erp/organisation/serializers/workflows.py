"""Workflows and their steps as JSON, and back."""

from typing import Annotated, Any, TypedDict

from django.db.models import Q
from rest_framework import serializers

from apps.erp.base.serializers.resources import (
    LinkField,
    answer_of,
    listing_of,
    resource,
    serializer_of,
)
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.workflows import ProcessStep, Workflow
from core import uris
from core.api.lists.list_queries import ListOptions
from core.api.openapi.response_types import FreeJson, Uri


class ProcessTypeField(LinkField):
    """The URI of a type of printer or post-processor, or of a way of shipping."""

    def to_internal_value(self, data: Any) -> Any:
        reference = uris.resolve_uri(data) if isinstance(data, str) else None
        for kind in ProcessStep.PROCESSES:
            if reference and reference.kind == kind.KIND:
                self.kind = kind
                return super().to_internal_value(data)
        kinds = " or ".join(kind.KIND for kind in ProcessStep.PROCESSES)
        raise serializers.ValidationError(f"Send the URI of a {kinds}.", code="resource-not-found")


ProcessStepSerializer = serializer_of(ProcessStep, process_type=ProcessTypeField(PrinterType))
WorkflowSerializer = serializer_of(Workflow)


class ProcessStepBeside(TypedDict):
    """What a step tells beside its columns."""

    process_type: Uri


class WorkflowBeside(TypedDict):
    """What a workflow tells beside its columns."""

    steps: Annotated[list[Uri], "Process steps in order."]


ProcessStepAnswer = answer_of(ProcessStep, ProcessStepBeside)
WorkflowAnswer = answer_of(Workflow, WorkflowBeside)


def step_resource(step: ProcessStep) -> FreeJson:
    """A step as JSON."""
    kind, key = step.process
    beside: ProcessStepBeside = {"process_type": kind.uri_of(key)}
    return {**resource(step), **beside}


def workflow_resource(workflow: Workflow) -> FreeJson:
    """A workflow as JSON, with the URIs of its steps in their order."""
    beside: WorkflowBeside = {"steps": [step.uri for step in workflow.steps_in_order]}
    return {**resource(workflow), **beside}


def step_listing() -> ListOptions:
    """What a list of steps can be asked about: its columns, and what the steps are done by."""
    own = listing_of(ProcessStep)
    return ListOptions(own.filters, own.search, own.sort, plain={"filter[process_type]": _done_by})


def _done_by(value: str) -> Q:
    condition = Q()
    for kind, column in ProcessStep.PROCESSES.items():
        keys = [key for uri in value.split(",") for key in kind.keys_of(uri)]
        condition |= Q(**{f"{column}__in": keys})
    return condition
