"""{erp_url}: workflows and their steps."""

from typing import Any

from django.db.models import QuerySet

from apps.erp import models
from apps.erp.serializers import workflow as serializers
from apps.erp.serializers.rows import listing_of
from apps.erp.services import workflows
from apps.erp.views.rows import RowViewSet


class WorkflowViewSet(RowViewSet):
    kind = models.Workflow
    serializer_class = serializers.WorkflowSerializer
    listing = listing_of(models.Workflow)

    def rows(self) -> QuerySet:
        return super().rows().prefetch_related("steps")

    def represent(self, row: Any) -> dict[str, Any]:
        return serializers.workflow_resource(row)


class ProcessStepViewSet(RowViewSet):
    kind = models.ProcessStep
    serializer_class = serializers.ProcessStepSerializer
    listing = serializers.step_listing()

    def represent(self, row: Any) -> dict[str, Any]:
        return serializers.step_resource(row)

    def perform_create(self, values: dict[str, Any]) -> Any:
        return workflows.create_step(actor=self.caller, **values)

    def perform_update(self, row: Any, values: dict[str, Any]) -> None:
        workflows.change_step(actor=self.caller, row=row, **values)
