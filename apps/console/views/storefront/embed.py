"""Script for other websites that show a storefront in a frame."""

from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

SCRIPT = (Path(__file__).parents[2] / "static/console/embed.js").read_bytes()
HOUR = 3600


@require_safe
def script(request: HttpRequest) -> HttpResponse:
    """The script of the element <print-quote>, for every website."""
    response = HttpResponse(SCRIPT, content_type="text/javascript; charset=utf-8")
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    patch_cache_control(response, public=True, max_age=HOUR)
    return response
