"""Accounts of customers as JSON, and back."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.erp import interface as erp
from apps.sales.models import CustomerAccount
from apps.sales.serializers.visits import AddressSerializer
from core.api.fields import Choice, EmailText, StrictSerializer, StrictText
from core.api.openapi.response_types import Uri


class ApprovalDecisionSerializer(StrictSerializer):
    """What an approver decides about an order of the company."""

    decision = Choice(("approved", "declined"))
    note = StrictText(max_length=2000, required=False, allow_blank=True)


class CustomerSignInLinkSerializer(StrictSerializer):
    """Whom a sign-in link is mailed to."""

    storefront = StrictText(max_length=63)
    email = EmailText(max_length=254)
    language = Choice(choices=("en", "de"), required=False)


class CustomerSignInSerializer(StrictSerializer):
    """E-mail address and password of a customer."""

    storefront = StrictText(max_length=63)
    email = EmailText(max_length=254)
    password = StrictText(max_length=200, trim_whitespace=False)


class CustomerSignInByLinkSerializer(StrictSerializer):
    """The token of a mailed link."""

    token = StrictText(max_length=100)


class CustomerAccountSerializer(StrictSerializer):
    """What customers change of their account."""

    name = StrictText(max_length=200, required=False, allow_blank=True)
    company = StrictText(max_length=200, required=False, allow_blank=True)
    vat_number = erp.VatNumberField(max_length=32, required=False, allow_blank=True)
    billing_address = AddressSerializer(required=False, allow_null=True)
    delivery_address = AddressSerializer(required=False, allow_null=True)
    password = StrictText(max_length=200, required=False, trim_whitespace=False)
    current_password = StrictText(max_length=200, required=False, trim_whitespace=False)


class AddressAnswer(TypedDict):
    """A postal address."""

    street: str
    postcode: str
    city: str
    country: str


class CustomerAccountAnswer(TypedDict):
    """The account of a customer."""

    uri: Uri
    created: datetime
    bureau: Uri
    email: str
    name: str | None
    company: str | None
    vat_number: str | None
    billing_address: AddressAnswer | None
    delivery_address: AddressAnswer | None
    has_password: bool
    membership: Annotated[
        erp.approvals.CompanyMembership | None, "Company of the customer; null without one."
    ]


class CustomerSessionAnswer(TypedDict):
    """A new session of a customer."""

    account: CustomerAccountAnswer
    storefront: Annotated[str, "Storefront of the sign-in, by its slug."]
    token: Annotated[str, "Key of the API token of the session, for 30 days."]
    secret: Annotated[str, "Secret of the token; returned only here."]


class CustomerOrdersAnswer(TypedDict):
    """The newest orders of a customer."""

    orders: list[erp.customer_orders.CustomerOrder]


class CustomerApprovalsAnswer(TypedDict):
    """Orders of the company that wait for this approver."""

    approvals: list[erp.approvals.CustomerApproval]


class CustomerPartsAnswer(TypedDict):
    """The parts of the newest orders of a customer."""

    parts: list[erp.customer_orders.CustomerPart]


def account_resource(row: CustomerAccount) -> CustomerAccountAnswer:
    """The account of a customer as JSON."""
    return {
        "uri": row.uri,
        "created": row.created,
        "bureau": row.bureau,
        "email": row.email,
        "name": row.name or None,
        "company": row.company or None,
        "vat_number": row.vat_number or None,
        "billing_address": row.billing_address,
        "delivery_address": row.delivery_address,
        "has_password": bool(row.password),
        "membership": erp.approvals.membership_of(bureau=row.bureau, email=row.email),
    }
