"""Admin: visits of storefronts, accounts of customers and their sign-in links."""

from django.contrib import admin

from apps.sales.models import CustomerAccount, CustomerLink, Visit
from core.web.admin_base import ReadOnlyPage


@admin.register(Visit)
class VisitAdmin(ReadOnlyPage):
    """Visits that are not over."""

    list_display = ["uuid", "storefront", "created", "expires"]
    list_filter = ["created", "expires"]
    search_fields = ["uuid", "storefront", "bureau"]
    ordering = ["-uuid"]


@admin.register(CustomerAccount)
class CustomerAccountAdmin(ReadOnlyPage):
    """Accounts of customers of shops."""

    list_display = ["email", "name", "company", "bureau", "created", "confirmed"]
    list_filter = ["created", "confirmed"]
    search_fields = ["uuid", "email", "name", "company", "bureau"]
    exclude = ["password"]
    ordering = ["-uuid"]


@admin.register(CustomerLink)
class CustomerLinkAdmin(ReadOnlyPage):
    """Sign-in links that were mailed to customers."""

    list_display = ["email", "storefront", "expires", "used"]
    list_filter = ["expires", "used"]
    search_fields = ["uuid", "email", "storefront"]
    exclude = ["token_sha256"]
    ordering = ["-uuid"]
