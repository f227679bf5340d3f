"""Create and update members of companies of customers."""

from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from apps.erp.orders.models.companies import CompanyMember, CustomerCompany
from core.auth_user import Person


def create(
    *, actor: Person, company: CustomerCompany, email: str, **values: object
) -> CompanyMember:
    """Create a member of a company. Raises ResourceExists for an address of another member."""
    row: CompanyMember = resources.create(
        actor=actor, kind=CompanyMember, company=company, email=email.lower(), **values
    )
    return row


def change(*, actor: Person, row: CompanyMember, email: str = "", **values: object) -> None:
    """Change a member. Raises ResourceExists for an address of another member."""
    address = (email or row.email).lower()
    resources.change(actor=actor, row=row, email=address, **values)
