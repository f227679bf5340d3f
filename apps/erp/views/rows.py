"""{erp_url}: every kind of resource, in one viewset."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework.request import Request

from apps.erp.models import Row
from apps.erp.models.access import merged, readable
from apps.erp.serializers.rows import flat, listing_of, resource, serializer_of
from apps.erp.services import rights, rows
from core.api.views import ResourceViewSet


class RowViewSet(ResourceViewSet):
    """The resources of a kind: read by whoever reads their bureau, changed by whoever may."""

    kind: ClassVar[type[Row]]

    def rows(self) -> QuerySet:
        return readable(self.kind, self.caller).with_related()  # type: ignore[attr-defined]

    def listed(self) -> Any:
        return merged(self.rows(), self.caller)

    def represent(self, row: Any) -> dict[str, Any]:
        return resource(row)

    def read(self, request: Request, row: Any = None) -> dict[str, Any]:
        """The values of the body, which nobody reads for a caller without the right."""
        if row is None:
            given: Any = request.data
            rights.require_to_create(self.caller, self.kind, given)
        else:
            rights.require_to_change(self.caller, row)
        return flat(self.kind, super().read(request, row))

    def perform_create(self, values: dict[str, Any]) -> Any:
        return rows.create(actor=self.caller, kind=self.kind, **values)

    def perform_update(self, row: Any, values: dict[str, Any]) -> None:
        rows.change(actor=self.caller, row=row, **values)

    def perform_destroy(self, row: Any) -> None:
        rights.require_to_change(self.caller, row)
        rows.delete(row=row)


def viewset_of(kind: type[Row]) -> type[RowViewSet]:
    """The viewset of a kind that has no rules of its own."""
    names = {"kind": kind, "serializer_class": serializer_of(kind), "listing": listing_of(kind)}
    return type(f"{kind.__name__}ViewSet", (RowViewSet,), {"__doc__": kind.__doc__, **names})
