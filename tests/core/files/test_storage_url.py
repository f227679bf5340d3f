"""FILES_URL: what it stands for, and what is refused with a sentence."""

import pytest

from core.files.storage_url import Address, read_address, read_addresses

KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hidden"}


@pytest.mark.parametrize("url", ["", "local"])
def test_empty_files_url_selects_local_storage(url):
    assert read_address(url, KEYS) == Address()


def test_files_url_with_endpoint_and_public_url_is_parsed_without_secrets():
    url = "s3://files/a/b/?endpoint=http://s3:8333/&public=https://s3.example.com"

    address = read_address(url, {**KEYS, "AWS_REGION": "eu-central-1"})

    assert (address.bucket, address.prefix, address.region) == ("files", "a/b", "eu-central-1")
    assert address.root == "https://s3.example.com/files"
    assert str(address) == "s3://files/a/b at http://s3:8333"
    assert "hidden" not in f"{address} {address!r}"


def test_aws_bucket_uses_virtual_host_url():
    address = read_address("s3://files?region=eu-central-1", KEYS)

    assert address.root == "https://files.s3.eu-central-1.amazonaws.com"


def test_aws_endpoint_variables_apply_when_files_url_has_no_endpoint():
    own = {"AWS_ENDPOINT_URL": "http://general", "AWS_ENDPOINT_URL_S3": "http://s3"}

    assert read_address("s3://files", own).endpoint == "http://s3"
    assert read_address("s3://files?endpoint=http://told", own).endpoint == "http://told"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("files", "write s3://bucket/prefix"),
        ("gs://files", "write s3://bucket/prefix"),
        ("s3://", "write s3://bucket/prefix"),
        ("s3://key:secret@files", "AWS_SECRET_ACCESS_KEY"),
        ("s3://files?endpiont=http://s3", "has endpiont"),
        ("s3://files?endpoint=s3:8333", "endpoint=s3:8333"),
        ("s3://files?path_style=perhaps", "on or off"),
    ],
)
def test_invalid_files_url_is_rejected_without_showing_secrets(url, words):
    with pytest.raises(ValueError, match=words) as refused:
        read_address(url, {})
    assert "secret" not in str(refused.value)


def test_files_also_names_the_fallback_storage():
    assert read_addresses({"FILES_URL": "s3://new", "FILES_FALLBACK_URL": "local"})[1] == Address()
    assert read_addresses({"FILES_URL": "s3://new"})[1] is None
