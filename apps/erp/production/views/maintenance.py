"""Views: maintenance tasks, log entries, and the maintenance plan of a printer."""

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.views.resources import Below, RowViewSet
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.maintenance import MaintenanceTask
from apps.erp.production.domain.maintenance import Counters, counters_of, task_states
from apps.erp.production.models.maintenance import MaintenanceEntry
from apps.erp.production.serializers.maintenance import (
    MaintenanceAnswer,
    MaintenanceEntrySerializer,
    maintenance_resource,
)
from apps.erp.production.services import maintenance
from core.api.fields import ValidatedData
from core.api.renderers import Response


class MaintenanceTaskViewSet(RowViewSet):
    kind = MaintenanceTask

    def perform_create(self, values: ValidatedData) -> MaintenanceTask:
        return maintenance.create_task(actor=self.caller, **values)

    def perform_update(self, row: MaintenanceTask, values: ValidatedData) -> None:
        maintenance.change_task(actor=self.caller, row=row, **values)

    def perform_destroy(self, row: MaintenanceTask) -> None:
        maintenance.delete_task(row=row)


class MaintenanceEntryViewSet(RowViewSet):
    """The maintenance log of printers, which never change."""

    kind = MaintenanceEntry
    serializer_class = MaintenanceEntrySerializer

    def perform_create(self, values: ValidatedData) -> MaintenanceEntry:
        return maintenance.create_entry(actor=self.caller, **values)


class MaintenanceView(Below):
    """The maintenance plan of a printer."""

    kind = Printer

    @extend_schema(responses={200: MaintenanceAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Get the maintenance plan of a printer."""
        printer = self.row(uuid)
        states = task_states([printer], now=timezone.now())
        counters, tasks = states.get(printer.pk) or (
            counters_of([printer.pk]).get(printer.pk, Counters()),
            [],
        )
        return Response(maintenance_resource(printer, counters, tasks))
