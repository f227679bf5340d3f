"""Views: bank accounts of bureaus and payments of orders."""

from apps.erp.orders.models.payments import BankAccount, OrderPayment
from apps.erp.orders.serializers.payments import (
    BankAccountSerializer,
    OrderPaymentAnswer,
    OrderPaymentSerializer,
)
from apps.erp.orders.services import payments
from apps.erp.orders.views.prices import SellingViewSet


class BankAccountViewSet(SellingViewSet):
    kind = BankAccount
    serializer_class = BankAccountSerializer


class OrderPaymentViewSet(SellingViewSet):
    kind = OrderPayment
    serializer_class = OrderPaymentSerializer
    answers = OrderPaymentAnswer
    writes = payments
