"""Views: accounts of customers, their sign-in, orders and parts."""

from typing import TypedDict
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.erp import interface as erp
from apps.sales.models import CustomerAccount
from apps.sales.serializers.customers import (
    ApprovalDecisionSerializer,
    CustomerAccountSerializer,
    CustomerApprovalsAnswer,
    CustomerOrdersAnswer,
    CustomerPartsAnswer,
    CustomerSessionAnswer,
    CustomerSignInByLinkSerializer,
    CustomerSignInLinkSerializer,
    CustomerSignInSerializer,
    account_resource,
)
from apps.sales.services import customer_accounts
from core.api.fields import StrictSerializer, ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet
from core.web.csrf import require_same_site

MAILED = "If this is the address of a customer, a mail with a link is on its way to it."
NO_STORE = {"Cache-Control": "no-store"}


class MailedAnswer(TypedDict):
    """The same, whether the address is known or not."""

    title: str


class PublicView(ApiView):
    """Base of the views for customers who are not signed in."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    def read_body(self, request: Request, kind: type[StrictSerializer]) -> ValidatedData:
        """Return the valid values of the body, which a page of this site has sent."""
        require_same_site(request._request)
        serializer = kind(data=request.data)
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data


class SignInLinkView(PublicView):
    """Sign-in links of customers."""

    says = {"post": "Mail a sign-in link to a customer"}

    @extend_schema(request=CustomerSignInLinkSerializer, responses={202: MailedAnswer})
    def post(self, request: Request) -> Response:
        """Mail a link, if the address is that of a customer of the shop."""
        customer_accounts.request_link(**self.read_body(request, CustomerSignInLinkSerializer))
        body: MailedAnswer = {"title": MAILED}
        return Response(body, 202)


class SignInView(PublicView):
    """Sign-in of a customer by a password."""

    says = {"post": "Sign a customer in by a password"}

    @extend_schema(request=CustomerSignInSerializer, responses={201: CustomerSessionAnswer})
    def post(self, request: Request) -> Response:
        """Sign in by e-mail address and password."""
        values = self.read_body(request, CustomerSignInSerializer)
        return _session_answer(customer_accounts.sign_in(**values))


class SignInByLinkView(PublicView):
    """Sign-in of a customer by a mailed link."""

    says = {"post": "Sign a customer in by a mailed link"}

    @extend_schema(request=CustomerSignInByLinkSerializer, responses={201: CustomerSessionAnswer})
    def post(self, request: Request) -> Response:
        """Sign in by the token of a link, once; the first time makes the account."""
        values = self.read_body(request, CustomerSignInByLinkSerializer)
        return _session_answer(customer_accounts.sign_in_by_link(**values))


def _session_answer(session: customer_accounts.CustomerSession) -> Response:
    body: CustomerSessionAnswer = {
        "account": account_resource(session.account),
        "storefront": session.storefront,
        "token": str(session.token),
        "secret": session.secret,
    }
    return Response(body, 201, headers=NO_STORE)


class CustomerAccountViewSet(ResourceViewSet):
    """Accounts of customers: each reads and changes their own."""

    says = {
        "orders": "Read the orders of a customer",
        "parts": "Read the parts of a customer",
        "approvals": "Read what waits for an approver",
        "decide": "Approve or decline an order of a company",
        "sign_out": "Sign a customer out",
    }
    kind = CustomerAccount
    serializer_class = CustomerAccountSerializer
    represent = staticmethod(account_resource)
    writes = customer_accounts
    listing = ListOptions(
        filters={
            "email": Column("email"),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid"},
    )

    @extend_schema(responses={200: CustomerOrdersAnswer})
    def orders(self, request: Request, uuid: UUID) -> Response:
        """Read the newest orders that were mailed to the address of the account."""
        row = self.row(uuid)
        body: CustomerOrdersAnswer = {
            "orders": erp.customer_orders.orders_of(bureau=row.bureau, email=row.email)
        }
        return Response(body)

    @extend_schema(responses={200: CustomerPartsAnswer})
    def parts(self, request: Request, uuid: UUID) -> Response:
        """Read each part of these orders once."""
        row = self.row(uuid)
        body: CustomerPartsAnswer = {
            "parts": erp.customer_orders.parts_of(bureau=row.bureau, email=row.email)
        }
        return Response(body)

    @extend_schema(responses={200: CustomerApprovalsAnswer})
    def approvals(self, request: Request, uuid: UUID) -> Response:
        """Read the orders of the company that wait for this approver."""
        row = self.row(uuid)
        body: CustomerApprovalsAnswer = {
            "approvals": erp.approvals.requests_of(bureau=row.bureau, email=row.email)
        }
        return Response(body)

    @extend_schema(request=ApprovalDecisionSerializer, responses={204: None})
    def decide(self, request: Request, uuid: UUID, key: UUID) -> Response:
        """Approve or decline an order of the company."""
        row = self.row(uuid)
        serializer = ApprovalDecisionSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        erp.approvals.decide(
            bureau=row.bureau, email=row.email, key=key, **serializer.validated_data
        )
        return Response(status=204)

    @extend_schema(request=None, responses={204: None})
    def sign_out(self, request: Request, uuid: UUID) -> Response:
        """End the session of this request."""
        customer_accounts.sign_out(self.row(uuid))
        return Response(status=204)
