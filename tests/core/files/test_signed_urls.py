"""Signed locations: each allows one thing, for a while."""

import hashlib
import time
from urllib.parse import urlsplit
from uuid import UUID

import pytest

from core.errors import UrlExpired
from core.files.signed_urls import (
    OCTETS,
    InvalidSignature,
    download_url,
    upload_url,
    verify_download,
    verify_upload,
)

KEY = UUID("01900000-0000-7000-8000-000000000001")
SHA = hashlib.sha256(b"content").hexdigest()


def parts(location: str) -> tuple[str, str]:
    split = urlsplit(location)
    assert split.netloc == "files.platform.test"
    return split.path, split.query


def test_upload_url_is_bound_to_one_resource_and_content_type():
    path, query = parts(upload_url("model", KEY))

    grant = verify_upload(path, query, OCTETS)

    assert (grant.kind, grant.uuid) == ("model", KEY)
    with pytest.raises(InvalidSignature, match=OCTETS):
        verify_upload(path, query, "text/plain")


def test_modified_signed_url_is_rejected():
    path, query = parts(upload_url("model", KEY))
    other = path.replace("model", "gcode")

    for changed_path, changed_query in (
        (other, query),
        (path.replace("1", "2"), query),
        (path, query.replace("max=", "max=9")),
        (path, query.replace("expires=", "expires=9")),
        (path, query.rpartition("&")[0]),
        (path, ""),
        (path, query.replace("signature=", "signature=%C3%A9")),
    ):
        with pytest.raises(InvalidSignature):
            verify_upload(changed_path, changed_query, OCTETS)


def test_upload_and_download_urls_are_not_interchangeable():
    path, query = parts(download_url(SHA, media_type="model/stl", filename="a.stl"))

    with pytest.raises(InvalidSignature):
        verify_upload(path, query, OCTETS)
    with pytest.raises(InvalidSignature):
        verify_download(*parts(upload_url("model", KEY)))


def test_download_file_name_can_be_overridden_by_appended_parameter():
    path, query = parts(download_url(SHA, media_type="model/stl", filename="a b.stl"))

    assert verify_download(path, query).filename == "a b.stl"
    assert verify_download(path, query + "&filename=c.stl").filename == "c.stl"
    assert verify_download(path, query).sha256 == SHA


def test_upload_url_expires(settings, monkeypatch):
    path, query = parts(upload_url("model", KEY))
    late = time.time() + settings.UPLOAD_EXPIRY.total_seconds() + 1
    monkeypatch.setattr(time, "time", lambda: late)

    with pytest.raises(UrlExpired):
        verify_upload(path, query, OCTETS)


def test_download_url_is_the_same_for_repeated_reads():
    first = download_url(SHA, media_type="model/stl", filename="a.stl")

    assert download_url(SHA, media_type="model/stl", filename="a.stl") == first


def test_download_url_expires_after_one_to_two_hours(monkeypatch):
    path, query = parts(download_url(SHA, media_type="model/stl", filename="a.stl"))
    begun = time.time()

    monkeypatch.setattr(time, "time", lambda: begun + 3500)
    assert verify_download(path, query).sha256 == SHA
    monkeypatch.setattr(time, "time", lambda: begun + 7300)
    with pytest.raises(UrlExpired):
        verify_download(path, query)
