"""URLconf of the `events.` host, which older front ends ask for changes: there are none."""

from django.http import HttpRequest, HttpResponse
from django.urls import re_path

from core.uris import base_url

HOUR = 3600  # s


def no_events(_: HttpRequest, **__: str) -> HttpResponse:
    """Answer 204, after which an EventSource does not connect again, and a poll is cached."""
    response = HttpResponse(status=204)
    response["Cache-Control"] = f"private, max-age={HOUR}"
    response["Link"] = f'<{base_url("callbacks")}/events/>; rel="alternate"'
    return response


urlpatterns = [re_path(r"^(?P<path>.*)$", no_events, name="no-events")]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
