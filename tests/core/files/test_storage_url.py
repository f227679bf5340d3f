"""FILES_URL: what it stands for, and what is refused with a sentence."""

import pytest

from core.files.storage_url import Address, read_address, read_addresses

KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hidden"}


@pytest.mark.parametrize("url", ["", "local"])
def test_nothing_is_the_folder_of_this_machine(url):
    assert read_address(url, KEYS) == Address()


def test_a_bucket_of_a_server_of_ones_own():
    url = "s3://files/a/b/?endpoint=http://s3:8333/&public=https://s3.example.com"

    address = read_address(url, {**KEYS, "AWS_REGION": "eu-central-1"})

    assert (address.bucket, address.prefix, address.region) == ("files", "a/b", "eu-central-1")
    assert address.root == "https://s3.example.com/files"
    assert str(address) == "s3://files/a/b at http://s3:8333"
    assert "hidden" not in f"{address} {address!r}"


def test_a_bucket_of_aws_is_a_host():
    address = read_address("s3://files?region=eu-central-1", KEYS)

    assert address.root == "https://files.s3.eu-central-1.amazonaws.com"


def test_the_usual_variables_name_the_server_where_the_url_does_not():
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
def test_what_is_none_is_refused(url, words):
    with pytest.raises(ValueError, match=words) as refused:
        read_address(url, {})
    assert "secret" not in str(refused.value)


def test_where_files_lay_before_is_named_beside():
    assert read_addresses({"FILES_URL": "s3://new", "FILES_FALLBACK_URL": "local"})[1] == Address()
    assert read_addresses({"FILES_URL": "s3://new"})[1] is None
