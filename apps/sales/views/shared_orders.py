"""Views: an order by the token of a share link."""

from typing import Annotated, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework.fields import CharField
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.erp import interface as erp
from core.api.fields import StrictSerializer
from core.api.renderers import Response
from core.api.views import ApiView
from core.web.csrf import require_same_site
from core.web.throttling import client_address

HEADERS = {"Referrer-Policy": "strict-origin", "X-Robots-Tag": "noindex"}


class OrderOfShareLinkAnswer(TypedDict):
    """An order as its customer sees it."""

    shop: Annotated[erp.CustomerShop, "Name and brand of the shop."]
    order: Annotated[erp.share_links.SharedOrder, "The order: prices, no costs."]


class AcceptQuoteSerializer(StrictSerializer):
    """Who accepts the quote of an order."""

    name = CharField(max_length=200, help_text="Name of the person who accepts the quote.")


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
