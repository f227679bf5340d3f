"""Public interface of sales for the project's hooks."""

from django.db.models import QuerySet

from apps.sales.models import CustomerAccount


def customer_accounts() -> QuerySet:
    """Return the accounts of customers at storefronts: `bureau`, a URI, and lower-case `email`."""
    return CustomerAccount.objects.all()
