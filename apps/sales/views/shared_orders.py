"""Views: an order by the token of a share link."""

from typing import Annotated, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework.fields import CharField, UUIDField
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.erp import interface as erp
from core.api.fields import Choice, StrictSerializer
from core.api.renderers import Response
from core.api.views import ApiView
from core.web.csrf import require_same_site
from core.web.throttling import client_address

HEADERS = {"Referrer-Policy": "strict-origin", "X-Robots-Tag": "noindex"}


class OrderOfShareLinkAnswer(TypedDict):
    """An order as its customer sees it."""

    shop: Annotated[erp.CustomerShop, "Name and brand of the shop."]
    domains: Annotated[
        list[str], "Own domains of the shop, of which the first has the page of the order."
    ]
    order: Annotated[erp.share_links.SharedOrder, "The order: prices, no costs."]


class AcceptQuoteSerializer(StrictSerializer):
    """Who accepts the quote of an order."""

    name = CharField(max_length=200, help_text="Name of the person who accepts the quote.")


class PrintDecisionSerializer(StrictSerializer):
    """What the customer of an order decides about a part with findings."""

    report = UUIDField(help_text="The report of the part.")
    decision = Choice(
        ("as-is", "replaced", "ask"),
        help_text="Print it as it is, replace its file, or ask the shop.",
    )
    name = CharField(max_length=200, help_text="Name of the person who decides.")
    text = CharField(
        max_length=2000, required=False, allow_blank=True, help_text="Question or remark."
    )
    file_name = CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        help_text="Name of the STL file that replaces the part's.",
    )


class PrintDecisionMade(TypedDict):
    """Where the file that replaces a part's is uploaded."""

    upload: Annotated[
        str | None, "URL for PUT of the file, or POST of a form with it; null: none is awaited."
    ]


class SharedOrderView(ApiView):
    """An order by the token of a share link."""

    says = {"get": "Read an order by a share link"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(responses={200: OrderOfShareLinkAnswer})
    def get(self, request: Request, token: str) -> Response:
        """Read the order of a share link."""
        order = erp.share_links.find(token, address=client_address(request._request)).order
        body: OrderOfShareLinkAnswer = {
            "shop": erp.customer_shop(order.bureau),
            "domains": erp.customer_pages.domains_of(order.bureau_id),
            "order": erp.share_links.shared_order(order),
        }
        return Response(body, headers=HEADERS)


class AcceptQuoteView(ApiView):
    """Acceptance of a quote by its customer."""

    says = {"post": "Accept the quote of an order by a share link"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(request=AcceptQuoteSerializer, responses={204: None})
    def post(self, request: Request, token: str) -> Response:
        """Accept the open quote of the order; name and time are stored with it."""
        require_same_site(request._request)
        link = erp.share_links.find(token, address=client_address(request._request))
        serializer = AcceptQuoteSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        erp.share_links.accept(order=link.order, **serializer.validated_data)
        return Response(status=204, headers=HEADERS)


class SharedDecisionView(ApiView):
    """Decision of a customer about a part with findings."""

    says = {"post": "Decide about a part of an order by a share link"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(request=PrintDecisionSerializer, responses={201: PrintDecisionMade})
    def post(self, request: Request, token: str) -> Response:
        """Record a decision; the last one counts until the part is confirmed."""
        require_same_site(request._request)
        link = erp.share_links.find(token, address=client_address(request._request))
        serializer = PrintDecisionSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        body: PrintDecisionMade = {
            "upload": erp.print_decisions.decide(
                order=link.order,
                then=erp.customer_pages.order_page(link.order.bureau_id, token),
                **serializer.validated_data,
            )
        }
        return Response(body, 201, headers=HEADERS)


class SharedReportsView(ApiView):
    """The print reports of an order as PDF, for its customer."""

    says = {"get": "Get print reports as PDF by a share link"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(responses=erp.REPORT_FILE_ANSWERS)
    def get(self, request: Request, token: str) -> Response:
        """The PDF is begun by the first request, and anew once its contents have changed."""
        link = erp.share_links.find(token, address=client_address(request._request))
        file = erp.print_report_files.request_file(order=link.order)
        response = erp.report_file_response(file)
        for name, value in HEADERS.items():
            response[name] = value
        return response
