"""Views: printer types."""

from typing import Any

from apps.erp.base.views.resources import RowViewSet
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.serializers.equipment import PrinterTypeSerializer
from apps.erp.organisation.services import printer_types
from core.api.fields import ValidatedData


class PrinterTypeViewSet(RowViewSet):
    kind = PrinterType
    serializer_class = PrinterTypeSerializer

    def perform_create(self, values: ValidatedData) -> Any:
        return printer_types.create_printer_type(actor=self.caller, **values)

    def perform_update(self, row: Any, values: ValidatedData) -> None:
        printer_types.change_printer_type(actor=self.caller, row=row, **values)
