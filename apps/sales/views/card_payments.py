"""Views: card payments of customers, and the webhook of a shop's Stripe account."""

from typing import Annotated, Literal, TypedDict
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.erp import interface as erp
from apps.sales.views.shared_orders import HEADERS
from core.api.renderers import Response
from core.api.views import ApiView
from core.web.csrf import require_same_site
from core.web.throttling import client_address


class CardPaymentAnswer(TypedDict):
    """A card payment that was begun."""

    url: Annotated[str, "Address of Stripe's page at which the customer pays."]


class CardPaymentStateAnswer(TypedDict):
    """The last card payment of an order."""

    status: Annotated[str, Literal["none", "open", "pending", "paid", "ended"]]


class CardPaymentView(ApiView):
    """Card payment of an order by its customer."""

    says = {"post": "Begin a card payment by a share link"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(request=None, responses={201: CardPaymentAnswer})
    def post(self, request: Request, token: str) -> Response:
        """Begin to pay what is open; the customer goes on at the returned address."""
        require_same_site(request._request)
        link = erp.share_links.find(token, address=client_address(request._request))
        page = erp.customer_pages.order_page(link.order.bureau_id, token)
        body: CardPaymentAnswer = {"url": erp.card_payments.start(order=link.order, page=page)}
        return Response(body, 201, headers={**HEADERS, "Cache-Control": "no-store"})


class CardPaymentRefreshView(ApiView):
    """State of a card payment, as Stripe knows it."""

    says = {"post": "Refresh a card payment by a share link"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(request=None, responses={200: CardPaymentStateAnswer})
    def post(self, request: Request, token: str) -> Response:
        """Ask Stripe for the last card payment of the order, at most 20 times for each."""
        require_same_site(request._request)
        link = erp.share_links.find(token, address=client_address(request._request))
        status = erp.card_payments.refresh(order=link.order)
        body: CardPaymentStateAnswer = {"status": status}
        return Response(body, headers=HEADERS)


class ShopStripeWebhookView(ApiView):
    """Webhook of a shop's Stripe account, authenticated by its signature."""

    says = {"post": "Receive a Stripe event of a shop"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Record what Stripe reports of a payment; an event that is repeated changes nothing."""
        payload = request._request.body
        signature = request.headers.get("Stripe-Signature", "")
        erp.card_payments.take_event(bureau=uuid, payload=payload, signature=signature)
        return Response(status=204)
