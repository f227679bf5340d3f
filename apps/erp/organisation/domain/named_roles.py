"""Named roles of a bureau: sets of the rights that a person holds on it and on its locations."""

from dataclasses import dataclass

from apps.erp.base.models.bureaus import BUREAU_RIGHTS, LOCATION_RIGHTS, SELLING_RIGHTS


@dataclass(frozen=True)
class NamedRole:
    """What a role gives.

    is_member       : membership of the bureau: to work with orders, builds and printers
    is_reader       : membership of its locations alone: to read the bureau
    bureau_rights   : rights on the bureau
    location_rights : rights on each location that the bureau has when the role is accepted, and on
                      which the inviting person may grant rights
    """

    is_member: bool = True
    is_reader: bool = False
    bureau_rights: tuple[str, ...] = ()
    location_rights: tuple[str, ...] = ()


NAMED_ROLES = {
    "owner": NamedRole(bureau_rights=BUREAU_RIGHTS, location_rights=LOCATION_RIGHTS),
    "production": NamedRole(
        bureau_rights=("material.all",),
        location_rights=("printer.all", "stock.all", "post_processor.all"),
    ),
    "sales": NamedRole(bureau_rights=(*SELLING_RIGHTS, "shipping.all")),
    "viewer": NamedRole(is_member=False, is_reader=True),
}
