"""{erp_url}: bureaus, locations, and their people."""

from typing import Any, ClassVar

from apps.erp import models
from apps.erp.serializers.rows import listing_of, serializer_of
from apps.erp.services import people, rights
from apps.erp.views.rows import RowViewSet


class BureauViewSet(RowViewSet):
    kind = models.Bureau
    serializer_class = serializer_of(models.Bureau)
    listing = listing_of(models.Bureau)

    def perform_create(self, values: dict[str, Any]) -> Any:
        return people.create_bureau(user=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        rights.require_to_change(self.caller, row)
        people.delete_place(actor=self.caller, place=row)


class LocationViewSet(RowViewSet):
    kind = models.Location
    serializer_class = serializer_of(models.Location)
    listing = listing_of(models.Location)

    def perform_create(self, values: dict[str, Any]) -> Any:
        return people.create_location(user=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        rights.require_to_change(self.caller, row)
        people.delete_place(actor=self.caller, place=row)


class MembershipBureauViewSet(RowViewSet):
    kind = models.MembershipBureau
    serializer_class = serializer_of(models.MembershipBureau)
    listing = listing_of(models.MembershipBureau)

    def perform_create(self, values: dict[str, Any]) -> Any:
        return people.add_member(actor=self.caller, **values)

    def perform_destroy(self, row: Any) -> None:
        rights.require_to_change(self.caller, row)
        people.remove_member(actor=self.caller, membership=row)


class PermissionBureauViewSet(RowViewSet):
    kind: ClassVar[Any] = models.PermissionBureau
    serializer_class = serializer_of(models.PermissionBureau)
    listing = listing_of(models.PermissionBureau)

    def perform_create(self, values: dict[str, Any]) -> Any:
        return people.grant(actor=self.caller, kind=self.kind, **values)

    def perform_destroy(self, row: Any) -> None:
        rights.require_to_change(self.caller, row)
        people.revoke(actor=self.caller, row=row)


class PermissionLocationViewSet(PermissionBureauViewSet):
    kind: ClassVar[Any] = models.PermissionLocation
    serializer_class = serializer_of(models.PermissionLocation)
    listing = listing_of(models.PermissionLocation)
