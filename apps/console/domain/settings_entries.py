"""Entries of the settings, which stand beside each of their pages."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.resource_kinds import BY_NAME


class Entry(NamedTuple):
    """An entry of the settings.

    kinds : whose pages belong to it
    """

    title: str | Promise
    path: str
    icon: str
    kinds: tuple[str, ...] = ()


ENTRIES = [
    Entry(_("Shop"), "/settings/", icon="building-factory-2", kinds=("bureau", "feature")),
    Entry(_("Locations"), "/location/", icon="map-pin", kinds=("location",)),
    Entry(_("Printers"), "/printer/list/", icon="printer", kinds=("printer", "agent")),
    Entry(_("Printer types"), "/printer-type/", icon="box", kinds=("printer-type",)),
    Entry(_("Materials"), "/material/", icon="disc", kinds=("material", "manufacturer")),
    Entry(_("Processes"), "/workflow/", icon="list-details", kinds=("workflow", "process-step")),
    Entry(_("Post-processing"), "/post-processor-type/", icon="adjustments",
          kinds=("post-processor-type", "post-processor")),
    Entry(_("Shipping methods"), "/shipping/", icon="truck", kinds=("shipping",)),
    Entry(_("Price lists"), "/price-list/", icon="currency-euro",
          kinds=("price-list", "working-calendar", "currency-conversion")),
    Entry(_("Price terms"), "/price-term/", icon="calculator", kinds=("price-term",)),
    Entry(_("Taxes"), "/tax-rule/", icon="receipt-tax", kinds=("tax-rule",)),
    Entry(_("Customer groups"), "/customer-group/", icon="users", kinds=("customer-group",)),
    Entry(_("People and roles"), "/settings/people/", icon="user",
          kinds=("people", "invitation", "membership-bureau", "membership-location",
                 "permission-bureau", "permission-location", "role")),
    Entry(_("Webhooks"), "/subscription/", icon="plug", kinds=("subscription", "webhook-secret")),
    Entry(_("API tokens"), "/api/", icon="key"),
    Entry(_("Security"), "/security/", icon="shield-lock", kinds=("security",)),
]  # fmt: skip


def settings_entries(kind: str) -> list[dict[str, Any]]:
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
