"""Views: workflows and process steps."""

from typing import Any

from django.db.models import QuerySet

from apps.erp.base.views.resources import RowViewSet
from apps.erp.organisation.models.workflows import ProcessStep, Workflow
from apps.erp.organisation.serializers import workflows as serializers
from apps.erp.organisation.services import workflows
from core.api.fields import ValidatedData


class WorkflowViewSet(RowViewSet):
    kind = Workflow
    serializer_class = serializers.WorkflowSerializer
    answers = serializers.WorkflowAnswer
    represent = staticmethod(serializers.workflow_resource)

    def rows(self) -> QuerySet:
        return super().rows().prefetch_related("steps")


class ProcessStepViewSet(RowViewSet):
    kind = ProcessStep
    serializer_class = serializers.ProcessStepSerializer
    answers = serializers.ProcessStepAnswer
    represent = staticmethod(serializers.step_resource)
    listing = serializers.step_listing()

    def perform_create(self, values: ValidatedData) -> Any:
        return workflows.create_step(actor=self.caller, **values)

    def perform_update(self, row: Any, values: ValidatedData) -> None:
        workflows.change_step(actor=self.caller, row=row, **values)
