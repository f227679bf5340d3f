"""Entries of the settings, which stand beside each of their pages."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain import navigation
from apps.console.domain.messages import Context
from apps.console.domain.resources.resource_kinds import BY_NAME


class SettingsEntry(NamedTuple):
    """An entry of the settings.

    kinds  : whose pages belong to it
    rights : of which one must be held in the shop; none: it is for everybody
    """

    title: str | Promise
    path: str
    icon: str
    kinds: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()


ENTRIES = [
    SettingsEntry(_("Shop"), "/settings/", icon="building-factory-2", kinds=("bureau", "feature")),
    SettingsEntry(
        _("Locations"),
        "/location/",
        icon="map-pin",
        kinds=("location",),
        rights=("location.all", "location.permission.all"),
    ),
    SettingsEntry(
        _("Printers and connections"),
        "/settings/printers/",
        icon="printer",
        kinds=("connections", "printer", "agent"),
    ),
    SettingsEntry(
        _("Send from your slicer"),
        "/settings/slicers/",
        icon="upload",
        kinds=("slicers", "slicer-key"),
    ),
    SettingsEntry(
        _("Printer types"),
        "/printer-type/",
        icon="box",
        kinds=("printer-type", "maintenance-task"),
        rights=("printer_type.all", "printer.all"),
    ),
    SettingsEntry(
        _("Slicer profiles"),
        "/settings/profiles/",
        icon="adjustments",
        kinds=("profiles",),
        rights=("printer_type.all", "printer.all"),
    ),
    SettingsEntry(_("Materials"), "/material/", icon="disc", kinds=("material", "manufacturer")),
    SettingsEntry(
        _("Processes"), "/workflow/", icon="list-details", kinds=("workflow", "process-step")
    ),
    SettingsEntry(
        _("Post-processing"),
        "/post-processor-type/",
        icon="adjustments",
        kinds=("post-processor-type", "post-processor"),
        rights=("post_processor_type.all", "post_processor.all"),
    ),
    SettingsEntry(
        _("Shipping methods"),
        "/shipping/",
        icon="truck",
        kinds=("shipping",),
        rights=("shipping.all",),
    ),
    SettingsEntry(
        _("Price lists"),
        "/price-list/",
        icon="currency-euro",
        kinds=("price-list", "working-calendar", "currency-conversion"),
        rights=("price.all", "currency_conversion.all"),
    ),
    SettingsEntry(
        _("Price terms"),
        "/price-term/",
        icon="calculator",
        kinds=("price-term",),
        rights=("price.all",),
    ),
    SettingsEntry(
        _("Taxes"), "/tax-rule/", icon="receipt-tax", kinds=("tax-rule",), rights=("price.all",)
    ),
    SettingsEntry(
        _("Customer groups"),
        "/customer-group/",
        icon="users",
        kinds=("customer-group",),
        rights=("customer.all",),
    ),
    SettingsEntry(
        _("Companies of customers"),
        "/customer-company/",
        icon="building-store",
        kinds=("customer-company", "company-member", "order-approval"),
        rights=("customer.all",),
    ),
    SettingsEntry(
        _("Storefront"),
        "/storefront/",
        icon="building-store",
        kinds=("storefront",),
        rights=("price.all",),
    ),
    SettingsEntry(
        _("Printability limits"),
        "/process-limits/",
        icon="ruler-2",
        kinds=("process-limits",),
        rights=("printer_type.all",),
    ),
    SettingsEntry(
        _("Payments"),
        "/settings/payments/",
        icon="receipt-2",
        kinds=("payments", "bank-account"),
        rights=("price.all",),
    ),
    SettingsEntry(
        _("Number series"),
        "/document-series/",
        icon="file-invoice",
        kinds=("document-series",),
        rights=("price.all",),
    ),
    SettingsEntry(
        _("E-mails"),
        "/settings/emails/",
        icon="mail",
        kinds=("emails", "message"),
    ),
    SettingsEntry(
        _("Channels"),
        "/settings/channels/",
        icon="bell",
        kinds=("channels",),
        rights=("customer.all",),
    ),
    SettingsEntry(
        _("People and roles"),
        "/settings/people/",
        icon="user",
        kinds=(
            "people",
            "invitation",
            "membership-bureau",
            "membership-location",
            "permission-bureau",
            "permission-location",
            "role",
        ),
        rights=("bureau.permission.all", "location.permission.all"),
    ),
    SettingsEntry(
        _("Notifications"), "/settings/notifications/", icon="bell", kinds=("notifications",)
    ),
    SettingsEntry(
        _("Webhooks"), "/subscription/", icon="plug", kinds=("subscription", "webhook-secret")
    ),
    SettingsEntry(_("API tokens"), "/api/", icon="key"),
    SettingsEntry(_("Security"), "/security/", icon="shield-lock", kinds=("security",)),
]


_ENTRIES_OF_FRAME = (*navigation.NEW, *(e for _title, group in navigation.GROUPS for e in group))
# All rights by which something is shown.
RIGHTS = frozenset(right for entry in ENTRIES for right in entry.rights) | frozenset(
    right for entry in _ENTRIES_OF_FRAME for right in entry.rights
)


def settings_entries(kind: str, rights: set[str]) -> list[Context]:
    """Return the settings for a person with these rights in the shop.

    The current entry is marked, and has the lists below it; it is there without a right, too.
    """
    return [
        {
            **entry._asdict(),
            "current": kind in entry.kinds,
            "more": [BY_NAME[each] for each in entry.kinds[1:] if each in BY_NAME]
            if kind in entry.kinds
            else [],
        }
        for entry in ENTRIES
        if kind in entry.kinds or navigation.is_usable(entry.rights, rights)
    ]
