"""Setting STOREFRONT_DOMAINS: domains of shops' own, each of which serves one storefront."""

import re
from collections.abc import Iterable

from django.core.exceptions import ImproperlyConfigured

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})+")
_SLUG = re.compile(r"[a-z0-9-]{2,63}")


def read_domains(entries: Iterable[str], parent: str) -> dict[str, str]:
    """Return the slug of the storefront of each domain, from `domain=slug`.

    parent : PARENT_HOST, whose cookies are those of the console

    Raises ImproperlyConfigured.
    """
    domains: dict[str, str] = {}
    for entry in entries:
        domain, _, slug = (part.strip() for part in entry.partition("="))
        domain = domain.lower().rstrip(".")
        if not _DOMAIN.fullmatch(domain) or not _SLUG.fullmatch(slug):
            raise ImproperlyConfigured(
                f"STOREFRONT_DOMAINS: {entry!r} does not name a domain and a storefront. Write "
                "shop.example.com=slug, without scheme and port, and commas between several."
            )
        if domain == parent or domain.endswith(f".{parent}"):
            raise ImproperlyConfigured(
                f"STOREFRONT_DOMAINS: {domain} belongs to PARENT_HOST, {parent}, with the cookies "
                "of the console. Use a domain outside of it."
            )
        if domain in domains:
            raise ImproperlyConfigured(f"STOREFRONT_DOMAINS: {domain} is there twice. Remove one.")
        domains[domain] = slug
    return domains
