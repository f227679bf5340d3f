"""Views: bureaus, locations, memberships and permissions."""

from typing import Any, ClassVar

from apps.erp.base.models.bureaus import (
    Bureau,
    Location,
    MembershipBureau,
    PermissionBureau,
    PermissionLocation,
)
from apps.erp.base.views.resources import RowViewSet
from apps.erp.organisation.serializers.brands import (
    BureauAnswer,
    BureauSerializer,
    bureau_resource,
)
from apps.erp.organisation.services import members
from core.api.fields import ValidatedData


class BureauViewSet(RowViewSet):
    kind = Bureau
    serializer_class = BureauSerializer
    answers = BureauAnswer
    represent = staticmethod(bureau_resource)

    def perform_create(self, values: ValidatedData) -> Any:
        return members.create_bureau(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        members.delete_place(actor=self.caller, row=row)


class LocationViewSet(RowViewSet):
    kind = Location

    def perform_create(self, values: ValidatedData) -> Any:
        return members.create_location(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        members.delete_place(actor=self.caller, row=row)


class MembershipBureauViewSet(RowViewSet):
    kind = MembershipBureau

    def perform_create(self, values: ValidatedData) -> Any:
        return members.add_member(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        members.remove_member(actor=self.caller, row=row)


class PermissionBureauViewSet(RowViewSet):
    kind: ClassVar[Any] = PermissionBureau

    def perform_create(self, values: ValidatedData) -> Any:
        return members.grant(actor=self.caller, kind=self.kind, **values)

    def perform_destroy(self, row: Any) -> None:
        members.revoke(actor=self.caller, row=row)


class PermissionLocationViewSet(PermissionBureauViewSet):
    kind = PermissionLocation
