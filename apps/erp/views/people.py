"""{erp_url}: bureaus, locations, and their people."""

from typing import Any, ClassVar

from apps.erp import models
from apps.erp.services import people
from apps.erp.views.rows import RowViewSet


class BureauViewSet(RowViewSet):
    kind = models.Bureau

    def perform_create(self, values: dict[str, Any]) -> Any:
        return people.create_bureau(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        people.delete_place(actor=self.caller, row=row)


class LocationViewSet(RowViewSet):
    kind = models.Location

    def perform_create(self, values: dict[str, Any]) -> Any:
        return people.create_location(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        people.delete_place(actor=self.caller, row=row)


class MembershipBureauViewSet(RowViewSet):
    kind = models.MembershipBureau

    def perform_create(self, values: dict[str, Any]) -> Any:
        return people.add_member(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        people.remove_member(actor=self.caller, row=row)


class PermissionBureauViewSet(RowViewSet):
    kind: ClassVar[Any] = models.PermissionBureau

    def perform_create(self, values: dict[str, Any]) -> Any:
        return people.grant(actor=self.caller, kind=self.kind, **values)

    def perform_destroy(self, row: Any) -> None:
        people.revoke(actor=self.caller, row=row)


class PermissionLocationViewSet(PermissionBureauViewSet):
    kind = models.PermissionLocation
