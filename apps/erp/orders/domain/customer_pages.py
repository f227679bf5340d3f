"""Addresses of customers' pages: at a domain of the bureau's own where it has one."""

from uuid import UUID

from django.conf import settings

from apps.erp.orders.models.storefronts import Storefront
from core.uris import base_url, domain_url


def domains_of(bureau: UUID) -> list[str]:
    """Return the own domains of a bureau's storefronts; the first is the one of its links."""
    domains: dict[str, str] = settings.STOREFRONT_DOMAINS
    if not domains:
        return []
    rows = Storefront.objects.filter(bureau=bureau, slug__in=domains.values())
    slugs = set(rows.values_list("slug", flat=True))
    return [domain for domain, slug in domains.items() if slug in slugs]


def site_of(bureau: UUID) -> str:
    """Return the origin of the pages that customers of a bureau get."""
    domains = domains_of(bureau)
    return domain_url(domains[0]) if domains else base_url("")


def order_page(bureau: UUID, token: str) -> str:
    """Return the address of an order's page."""
    return page_at(site_of(bureau), token)


def page_at(site: str, token: str) -> str:
    """Return the address of an order's page at an origin."""
    return f"{site}/o/{token}/"
