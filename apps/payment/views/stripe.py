"""Views: webhook of Stripe."""

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.payment.methods import read_event
from apps.payment.services.methods import take_stripe_event
from core.api.renderers import Response
from core.api.views import ApiView
from core.errors import Forbidden, NotFound


class StripeWebhookView(ApiView):
    """Stripe's webhook, authenticated by its signature."""

    says = {"post": "Receive a Stripe webhook event"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        if not settings.STRIPE_WEBHOOK_SECRET:
            raise NotFound("Stripe is not set up here.")
        signature = request.headers.get("Stripe-Signature", "")
        event = read_event(request._request.body, signature, settings.STRIPE_WEBHOOK_SECRET)
        if event is None:
            raise Forbidden("This was not signed by Stripe.", code="invalid-signature")
        take_stripe_event(event)
        return Response(status=204)
