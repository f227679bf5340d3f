"""Entries of the settings, which stand beside each of their pages."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context
from apps.console.domain.resource_kinds import BY_NAME


class SettingsEntry(NamedTuple):
    """An entry of the settings.

    kinds : whose pages belong to it
    """

    title: str | Promise
    path: str
    icon: str
    kinds: tuple[str, ...] = ()


ENTRIES = [
    SettingsEntry(_("Shop"), "/settings/", icon="building-factory-2", kinds=("bureau", "feature")),
    SettingsEntry(_("Locations"), "/location/", icon="map-pin", kinds=("location",)),
    SettingsEntry(_("Printers"), "/printer/list/", icon="printer", kinds=("printer", "agent")),
    SettingsEntry(_("Printer types"), "/printer-type/", icon="box", kinds=("printer-type",)),
    SettingsEntry(_("Materials"), "/material/", icon="disc", kinds=("material", "manufacturer")),
    SettingsEntry(
        _("Processes"), "/workflow/", icon="list-details", kinds=("workflow", "process-step")
    ),
    SettingsEntry(
        _("Post-processing"),
        "/post-processor-type/",
        icon="adjustments",
        kinds=("post-processor-type", "post-processor"),
    ),
    SettingsEntry(_("Shipping methods"), "/shipping/", icon="truck", kinds=("shipping",)),
    SettingsEntry(
        _("Price lists"),
        "/price-list/",
        icon="currency-euro",
        kinds=("price-list", "working-calendar", "currency-conversion"),
    ),
    SettingsEntry(_("Price terms"), "/price-term/", icon="calculator", kinds=("price-term",)),
    SettingsEntry(_("Taxes"), "/tax-rule/", icon="receipt-tax", kinds=("tax-rule",)),
    SettingsEntry(
        _("Customer groups"), "/customer-group/", icon="users", kinds=("customer-group",)
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
    ),
    SettingsEntry(
        _("Webhooks"), "/subscription/", icon="plug", kinds=("subscription", "webhook-secret")
    ),
    SettingsEntry(_("API tokens"), "/api/", icon="key"),
    SettingsEntry(_("Security"), "/security/", icon="shield-lock", kinds=("security",)),
]


def settings_entries(kind: str) -> list[Context]:
    """Return the entries of the settings, the current one marked, each with the lists below it."""
    return [
        {
            **entry._asdict(),
            "current": kind in entry.kinds,
            "more": [BY_NAME[each] for each in entry.kinds[1:] if each in BY_NAME]
            if kind in entry.kinds
            else [],
        }
        for entry in ENTRIES
    ]
