"""Workflows (routings), their process steps, and the model library."""

from typing import Any, ClassVar

from django.db import models

from apps.erp.base.model_fields import BureauForeignKey, ForeignUriField, name_field, text_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.organisation.models.equipment import PostProcessorType, PrinterType
from apps.erp.organisation.models.master_data import Material, Shipping


class Workflow(BureauResource):
    """Steps, in the order of their positions."""

    KIND = "workflow"

    name = name_field()

    @property
    def steps_in_order(self) -> "list[ProcessStep]":
        """Its steps, as they follow one another."""
        return sorted(self.steps.all(), key=lambda step: step.step_position)


class ProcessStep(BureauResource):
    """One step: printing on a type of printer, finishing, or shipping."""

    KIND = "process-step"
    PARENT = "workflow"
    SORTED = ("step_position",)
    PRIVATE = frozenset({"printer_type", "post_processor_type", "shipping"})
    # What a step can be done by, which answers show as `process_type`: its kind and column.
    PROCESSES: ClassVar[dict[type[BureauResource], str]] = {
        PrinterType: "printer_type",
        PostProcessorType: "post_processor_type",
        Shipping: "shipping",
    }

    workflow = BureauForeignKey(Workflow, related_name="steps")
    step_position = models.PositiveIntegerField()
    printer_type = BureauForeignKey(PrinterType, null=True, blank=True)
    post_processor_type = BureauForeignKey(PostProcessorType, null=True, blank=True)
    shipping = BureauForeignKey(Shipping, null=True, blank=True)
    notes = text_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(fields=["workflow", "step_position"], name="step_once"),
            models.CheckConstraint(
                condition=models.Q(
                    printer_type__isnull=False, post_processor_type=None, shipping=None
                )
                | models.Q(printer_type=None, post_processor_type__isnull=False, shipping=None)
                | models.Q(printer_type=None, post_processor_type=None, shipping__isnull=False),
                name="step_of_one_process",
            ),
        ]

    @property
    def process(self) -> tuple[type[BureauResource], Any]:
        """What the step is done by: its kind and its key."""
        for kind, column in self.PROCESSES.items():
            if key := getattr(self, f"{column}_id"):
                return kind, key
        raise ValueError(self.pk)

    @property
    def operation(self) -> str:
        """What a run of this step does: printing, post-processing or shipping."""
        if self.printer_type_id:
            return "printing"
        return "post-processing" if self.post_processor_type_id else "shipping"


class ModelLibrary(BureauResource):
    """A part that is made again and again: its model, and how it is made."""

    KIND = "model-library"

    name = name_field()
    description = text_field()
    model_uri = ForeignUriField(kind="model")
    material = BureauForeignKey(Material, null=True, blank=True)
    workflow = BureauForeignKey(Workflow, null=True, blank=True)

    class Meta(BureauResource.Meta):
        verbose_name_plural = "model libraries"
