"""Origins of pages for customers: the bare domain, or a domain of the shop's own."""

from django.conf import settings
from django.http import HttpRequest

from core.uris import base_url, domain_url

# Environment key of the domain of a shop's own. No header can set it: those are `HTTP_...`.
DOMAIN = "platform.storefront_domain"


def domain_of(request: HttpRequest) -> str:
    """Return the domain of a shop's own that a request came to; empty: it is another host."""
    domain: str = request.META.get(DOMAIN, "")
    return domain


def site_of(request: HttpRequest) -> str:
    """Return the origin of the pages that a request is for."""
    domain = domain_of(request)
    return domain_url(domain) if domain else base_url("")


def store_site(slug: str) -> str:
    """Return the origin at which a storefront is: its first own domain, or the bare domain."""
    domains = (domain for domain, own in settings.STOREFRONT_DOMAINS.items() if own == slug)
    domain = next(domains, "")
    return domain_url(domain) if domain else base_url("")


def store_page(slug: str) -> str:
    """Return the canonical address of a storefront's page."""
    site = store_site(slug)
    return f"{site}/" if site != base_url("") else f"{site}/s/{slug}/"
