"""CSRF protection by Origin and Sec-Fetch-Site."""

from django.conf import settings
from django.http import HttpRequest

from core.errors import Forbidden

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class CrossSite(Forbidden):
    """A page of another site tried to use the visitor's session."""

    code = "cross-site-request"


def require_same_site(request: HttpRequest) -> None:
    """Raise CrossSite for an unsafe request from a foreign page.

    Browsers send cookies with any page's requests, and clients of the contract send no CSRF token;
    browsers declare the origin of a request, and a request without one is a script's.
    """
    if request.method in SAFE_METHODS:
        return
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site")
    if origin is not None:
        trusted = origin in settings.CORS_ALLOWED_ORIGINS
    elif site is not None:
        trusted = site in ("same-origin", "none")
    else:
        trusted = True
    if not trusted:
        raise CrossSite(
            f"A page of {origin or 'another site'} may not write here with your session: use an "
            "API token, or have the operator add the page's origin to TRUSTED_ORIGINS."
        )
