"""{erp_url}: bureaus, locations, and their people."""

from typing import Any, ClassVar

from apps.erp import models
from apps.erp.base.views.resources import RowViewSet
from apps.erp.organisation.services import members


class BureauViewSet(RowViewSet):
    kind = models.Bureau

    def perform_create(self, values: dict[str, Any]) -> Any:
        return members.create_bureau(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        members.delete_place(actor=self.caller, row=row)


class LocationViewSet(RowViewSet):
    kind = models.Location

    def perform_create(self, values: dict[str, Any]) -> Any:
        return members.create_location(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        members.delete_place(actor=self.caller, row=row)


class MembershipBureauViewSet(RowViewSet):
    kind = models.MembershipBureau

    def perform_create(self, values: dict[str, Any]) -> Any:
        return members.add_member(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        members.remove_member(actor=self.caller, row=row)


class PermissionBureauViewSet(RowViewSet):
    kind: ClassVar[Any] = models.PermissionBureau

    def perform_create(self, values: dict[str, Any]) -> Any:
        return members.grant(actor=self.caller, kind=self.kind, **values)

    def perform_destroy(self, row: Any) -> None:
        members.revoke(actor=self.caller, row=row)


class PermissionLocationViewSet(PermissionBureauViewSet):
    kind = models.PermissionLocation
