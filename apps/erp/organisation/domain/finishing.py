"""Workflows by what they do: printing on a type of printer, then post-processing."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Prefetch

from apps.erp.organisation.models.equipment import PostProcessorType
from apps.erp.organisation.models.workflows import ProcessStep, Workflow

# Key of the printer type, and sorted URIs of the post-processor types.
Way = tuple[str, tuple[str, ...]]


def way_of(printer_type: str, finish: Sequence[str]) -> Way:
    """The printing on this type of printer, and then exactly this."""
    return printer_type, tuple(sorted(finish))


def workflows_by_way(bureau: UUID) -> dict[Way, Workflow]:
    """The workflows of a bureau that print on one type of printer; the oldest of each way."""
    in_order = ProcessStep.objects.select_related("post_processor_type").order_by("step_position")
    workflows = Workflow.objects.filter(bureau=bureau).order_by("pk")
    ways: dict[Way, Workflow] = {}
    for workflow in workflows.prefetch_related(Prefetch("steps", in_order)):
        steps = workflow.steps.all()
        printed = {str(step.printer_type_id) for step in steps if step.printer_type_id}
        if len(printed) == 1:
            kinds = [step.post_processor_type for step in steps if step.post_processor_type]
            way = way_of(printed.pop(), [kind.uri for kind in kinds])
            ways.setdefault(way, workflow)
    return ways


def finishes_of(workflow: Workflow | None) -> list[PostProcessorType]:
    """The post-processing of a workflow, in the order of its steps; reads `steps`."""
    if workflow is None:
        return []
    return [
        step.post_processor_type for step in workflow.steps_in_order if step.post_processor_type
    ]
