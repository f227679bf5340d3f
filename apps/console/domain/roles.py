"""Roles of people in a shop, by their rights, with the first page of each."""

from __future__ import annotations

from collections.abc import Collection

OWNER, PRODUCTION, SALES = "owner", "production", "sales"
OWNING = "bureau.permission.all"
SELLING = ("customer.all", "price.all")
PRODUCING = ("printer.all", "stock.all", "post_processor.all", "material.all")
# Of roles whose first page is not the dashboard.
FIRST_PAGES = {PRODUCTION: "/queue/", SALES: "/order/"}


def role_of(rights: Collection[str]) -> str:
    """Return the role that these rights in a shop amount to; empty where they are none of these.

    Who both produces and sells has no role of its own, and sees what both see.
    """
    if OWNING in rights:
        return OWNER
    sells, produces = (not set(rights).isdisjoint(each) for each in (SELLING, PRODUCING))
    if sells == produces:
        return ""
    return SALES if sells else PRODUCTION
