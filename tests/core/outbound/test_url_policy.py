"""The door outward: which URLs are refused before anybody is asked."""

from ipaddress import ip_network

import pytest

from core.outbound import url_policy


@pytest.fixture
def closed(settings):
    """The door of a production installation: no private network is allowed."""
    settings.OUTBOUND_ALLOW = []


@pytest.fixture
def loopback(settings):
    settings.OUTBOUND_ALLOW = [ip_network("127.0.0.0/8")]


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[fec0::1]",
        "169.254.169.254",
        "168.63.129.16",
        "１２７.0.0.1",
        "0",
    ],
)
def test_url_with_non_public_ip_literal_is_rejected(closed, host):
    with pytest.raises(url_policy.ForbiddenUrl, match="the setting OUTBOUND_ALLOW"):
        url_policy.validate_url(f"http://{host}/hook")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "receiver.example/hook",
        "//receiver.example/hook",
        "ftp://receiver.example/",
        "file:///etc/passwd",
        "unix:///var/run/docker.sock",
        "ws://receiver.example/",
        "http://",
        "http:///hook",
        "http://user@receiver.example/",
        "http://user:secret@receiver.example/",
        "http://receiver.example\\@10.0.0.1/",
        "http://receiver.example/a b",
        "http://receiver.example/\r\nHost: x",
        "http://receiver.example/\t",
        "http://receiver.example/\u2028",
        "http://%31%32%37.0.0.1/",
        "http://[fe80::1%25eth0]/",
        "http://[::1/",
        "http://receiver.example:0/",
        "http://receiver.example:25/",
        "http://receiver.example:5432/",
        "http://receiver.example:6379/",
        "http://receiver.example:99999/",
        "http://receiver.example:x/",
        "http://receiver.example/" + "a" * 2048,
    ],
)
def test_url_that_can_never_be_requested_is_rejected(closed, url):
    with pytest.raises(url_policy.ForbiddenUrl):
        url_policy.validate_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://platform.test/",
        "http://models.platform.test/model/",
        "http://MODELS.Platform.Test./model/",
        "http://ｍodels.platform.test/",
        "https://anything.platform.test:8443/",
    ],
)
def test_url_of_own_platform_is_rejected(loopback, url):
    with pytest.raises(url_policy.ForbiddenUrl, match="this platform itself"):
        url_policy.validate_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://receiver.example",
        "https://receiver.example:8443/hook?token=a%2Fb+c&x=%20#part",
        "http://bücher.example/straße",
        "http://8.8.8.8/hook",
        "http://[2606:4700:4700::1111]/hook",
        "http://notplatform.test/",
    ],
)
def test_ordinary_url_is_accepted(closed, url):
    assert url_policy.validate_url(url) is None


def test_url_origin_is_canonical():
    spellings = [
        "http://Receiver.Example/a",
        "http://receiver.example.:80/b?c",
        "http://receiver.example#d",
    ]

    assert {url_policy.origin_of(url) for url in spellings} == {"http://receiver.example:80"}
    assert (
        url_policy.origin_of("https://[2606:4700:4700::1111]/")
        == "https://[2606:4700:4700::1111]:443"
    )
