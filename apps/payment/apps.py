"""AppConfig of payment."""

from django.apps import AppConfig


class PaymentConfig(AppConfig):
    name = "apps.payment"
    label = "payment"
