"""{erp_url}: types of printers."""

from typing import Any

from apps.erp import models
from apps.erp.serializers.machines import PrinterTypeSerializer
from apps.erp.services import machines
from apps.erp.views.rows import RowViewSet


class PrinterTypeViewSet(RowViewSet):
    kind = models.PrinterType
    serializer_class = PrinterTypeSerializer

    def perform_create(self, values: dict[str, Any]) -> Any:
        return machines.create_printer_type(actor=self.caller, **values)

    def perform_update(self, row: Any, values: dict[str, Any]) -> None:
        machines.change_printer_type(actor=self.caller, row=row, **values)
