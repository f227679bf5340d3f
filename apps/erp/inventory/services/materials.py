"""Create, update and delete materials."""

from django.db import transaction

from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from apps.erp.inventory.domain.reorder_points import follow_levels, forget_level
from apps.erp.organisation.models.master_data import Material
from core.auth_user import Person


def create(*, actor: Person, **values: object) -> Material:
    """A material, of which there are no lots yet."""
    row: Material = resources.create(actor=actor, kind=Material, **values)
    return row


@transaction.atomic
def change(*, actor: Person, row: Material, **values: object) -> None:
    """Change what was given; its stock level follows the reorder point."""
    point = row.reorder_point
    resources.change(actor=actor, row=row, **values)
    if row.reorder_point != point:
        follow_levels([row.pk])
        forget_level(row.pk)
