"""Views: bank accounts and Stripe accounts of bureaus, and payments of orders."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import BUREAU_GRANTING
from apps.erp.orders.models.card_payments import CardAccount
from apps.erp.orders.models.payments import BankAccount, OrderPayment
from apps.erp.orders.serializers.payments import (
    BankAccountSerializer,
    CardAccountAnswer,
    CardAccountSerializer,
    OrderPaymentAnswer,
    OrderPaymentSerializer,
    card_account_resource,
)
from apps.erp.orders.services import card_accounts, payments
from apps.erp.orders.views.prices import SellingViewSet
from core.api.renderers import Response


class BankAccountViewSet(SellingViewSet):
    kind = BankAccount
    serializer_class = BankAccountSerializer


class CardAccountViewSet(SellingViewSet):
    """Stripe accounts of bureaus: read and changed by who grants rights on the bureau."""

    says = {"test": "Test the keys of a Stripe account"}
    kind = CardAccount
    right = BUREAU_GRANTING
    serializer_class = CardAccountSerializer
    answers = CardAccountAnswer
    represent = staticmethod(card_account_resource)
    writes = card_accounts
    repeatable = False  # no stored answer, and no fingerprint of a body with secrets

    @extend_schema(request=None, responses={200: card_accounts.CardAccountTest})
    def test(self, request: Request, uuid: UUID) -> Response:
        """Ask Stripe for the balance of the account; the answer says whether the key works."""
        row = self.row(uuid)
        self.require(row)
        return Response(card_accounts.check_keys(row))


class OrderPaymentViewSet(SellingViewSet):
    kind = OrderPayment
    serializer_class = OrderPaymentSerializer
    answers = OrderPaymentAnswer
    writes = payments
