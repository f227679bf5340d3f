"""Labels of the fields of customers, their companies and documents, by their names in the API."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

CUSTOMER_FIELDS: dict[str, str | Promise] = {
    "approval_limit": _("Approval above"),
    "automatic_invoices": _("Issue invoices"),
    "automatic_quotes": _("Issue quotes"),
    "company": _("Company"),
    "customer": _("Customer"),
    "customer_email": _("Customer e-mail"),
    "customer_groups": _("Customer groups"),
    "customer_name": _("Customer name"),
    "customer_po": _("PO number"),
    "person": _("Person"),
    "vat_confirmed": _("VAT number checked"),
    "vat_confirmed_by": _("VAT number checked by"),
    "vat_confirmed_on": _("VAT number checked on"),
    "vat_number": _("VAT number"),
}
