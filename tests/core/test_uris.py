"""URIs: written in one form, read in all that clients send."""

from uuid import UUID

import pytest

from core import uris
from core.uris import build_uri, canonical, resolve_uri

KEY = UUID("01900000-0000-7000-8000-000000000001")
URI = f"http://models.platform.test/model/{KEY}/"


def test_uri_resolves_to_service_view_and_key():
    assert build_uri("models", "model-detail", uuid=KEY) == URI

    reference = resolve_uri(URI)

    assert reference is not None
    assert (reference.service, reference.view, reference.kwargs) == (
        "models",
        "model-detail",
        {"uuid": KEY},
    )


@pytest.mark.parametrize(
    "spelling",
    [
        URI,
        URI.rstrip("/"),
        URI.replace("http:", "https:"),
        URI.replace("models.", "data."),
        URI.replace("models.platform", "MODELS.Platform"),
    ],
)
def test_every_uri_spelling_has_one_canonical_form(spelling):
    assert canonical(spelling) == URI


def test_fast_uri_resolution_agrees_with_url_patterns():
    """Each service's resources, and paths of the same form that are none."""
    for service, view in [("users", "user"), ("models", "model"), ("slicing", "config")]:
        uri = build_uri(service, f"{view}-detail", uuid=KEY)
        assert resolve_uri(uri) == uris._resolve(uri)
        assert resolve_uri(uri.replace(f"/{view}", "/nothing")) is None
    sink = f"http://callbacks.platform.test/sink/{KEY}/"
    assert resolve_uri(sink) == uris._resolve(sink)
    assert resolve_uri(sink).kwargs == {"token": str(KEY)}


def test_alias_host_resolves_to_its_service():
    uri = build_uri("slicing", "config-detail", uuid=KEY)

    assert canonical(uri.replace("slicing.", "quickslice.")) == uri


@pytest.mark.parametrize(
    "foreign",
    [
        URI.replace("platform.test", "platform.test.evil.com"),
        URI.replace("models.", "users."),
        URI.replace("models.", "nope."),
        URI.replace("http:", "ftp:"),
        URI.replace("platform.test", "platform.test:99"),
        URI + "?x=1",
        URI.replace("://", "://ada:secret@"),
        f"http://models.platform.test/model/{KEY}/../{KEY}/",
        "http://models.platform.test/model/7/",
        "http://[models",
        "not a uri",
        "",
    ],
)
def test_foreign_uri_is_not_resolved_and_left_unchanged(foreign):
    assert resolve_uri(foreign) is None
    assert canonical(foreign) == foreign
