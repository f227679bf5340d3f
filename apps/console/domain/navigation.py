"""Navigation of the console: entries of the rail, the bottom bar and the New menu."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.resources.resource_kinds import KINDS
from apps.console.domain.roles import PRODUCTION, SALES, SELLING, role_of


@dataclass(frozen=True)
class Entry:
    """A link of the navigation.

    pages  : first parts of the paths of further pages that belong to it
    rights : of which one must be held in the shop; none: it is for everybody
    not_of : roles whose navigation leaves it out
    count  : which number of `OpenCounts` is shown beside it; none: it has none
    of     : what that counts, as the tooltip says it after the number
    urgent : whether it is shown as a warning
    """

    title: str | Promise
    path: str
    icon: str
    pages: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    not_of: tuple[str, ...] = ()
    count: str = ""
    of: str | Promise = ""
    urgent: bool = False

    def covers(self, path: str) -> bool:
        """Return whether a page belongs to this entry."""
        first = path.strip("/").split("/")[0]
        return first == self.path.strip("/") or first in self.pages


HOME = Entry(_("Dashboard"), "/", icon="layout-dashboard", not_of=(PRODUCTION, SALES))
QUEUE = Entry(
    _("Queue"),
    "/queue/",
    icon="list-details",
    pages=("bureau", "piece"),
    count="line_items",
    of=_("to plan"),
)
BUILDS = Entry(
    _("Builds"), "/run/", icon="stack-2", pages=("gcode", "received-file"), not_of=(SALES,)
)
PRINTERS = Entry(
    _("Printers"),
    "/printer/",
    icon="printer",
    pages=("location", "attempt"),
    not_of=(SALES,),
    count="printers",
    of=_("waiting for a person"),
    urgent=True,
)
ORDERS = Entry(
    _("Orders"),
    "/order/",
    icon="shopping-cart",
    pages=("line-item", "quote", "document", "shipment", "price-table"),
    count="orders",
    of=_("new orders"),
)
SCAN = Entry(_("Scan"), "/scan/", icon="qrcode", not_of=(SALES,))
INVENTORY = Entry(
    _("Inventory"),
    "/stock/",
    icon="disc",
    pages=("stock-movement",),
    not_of=(SALES,),
    count="materials",
    of=_("below the reorder point"),
    urgent=True,
)
PARTS = Entry(_("Parts"), "/model/", icon="cube", pages=("slice",))
MAX_COUNT = 99
GROUPS: list[tuple[str | Promise, list[Entry]]] = [
    ("", [HOME]),
    (_("Production"), [QUEUE, BUILDS, PRINTERS, SCAN]),
    (
        _("Sales"),
        [
            ORDERS,
            Entry(_("Customers"), "/customer/", icon="users", rights=SELLING),
            Entry(_("Storefront"), "/storefront/", icon="building-store", rights=("price.all",)),
        ],
    ),
    (
        _("Library"),
        [PARTS, INVENTORY],
    ),
]
# What is not part of an entry above: the entry whose page comes first is marked.
SETTINGS = ("security", "api", *(kind.name for kind in KINDS if kind.settings))
FOOT = [
    Entry(_("Failed jobs"), "/failed/", icon="alert-triangle"),
    Entry(_("Settings"), "/settings/", icon="settings", pages=SETTINGS),
]
MORE = Entry(_("More"), "/more/", icon="menu-2")
# Of the bottom bar: the first ones that a person can use, and the last; the logo leads home.
BOTTOM = [QUEUE, PRINTERS, SCAN, ORDERS, PARTS]
MAX_BOTTOM = 4
NEW = [
    Entry(_("Order"), "/order/new/", icon="shopping-cart"),
    Entry(_("Upload part"), "/model/", icon="upload"),
    Entry(_("Build"), "/queue/", icon="stack-2", not_of=(SALES,)),
    Entry(_("G-code"), "/gcode/", icon="upload", not_of=(SALES,)),
    Entry(_("Spool"), "/stock/new/", icon="disc", rights=("stock.all",)),
    Entry(_("Printer"), "/printer/add/", icon="printer", rights=("printer.all",)),
    Entry(_("Customer"), "/customer/new/", icon="user-plus", rights=("customer.all",)),
]


def is_usable(required: Collection[str], rights: set[str]) -> bool:
    """Return whether one of the required rights is held; true where none is required."""
    return not required or not rights.isdisjoint(required)


def usable(entries: list[Entry], rights: set[str]) -> list[Entry]:
    """Return the entries that a person with these rights in the shop can use."""
    role = role_of(rights)
    return [each for each in entries if is_usable(each.rights, rights) and role not in each.not_of]


def current(entries: list[Entry], path: str) -> Entry | None:
    """Return the entry that a page belongs to; None where it belongs to none of them."""
    return next((entry for entry in entries if entry.covers(path)), None)


def label_of(count: object) -> str:
    """Return a count of open work as it is shown; empty for none."""
    if not isinstance(count, int) or not count:
        return ""
    return f"{MAX_COUNT}+" if count > MAX_COUNT else str(count)
