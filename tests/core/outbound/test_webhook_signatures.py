"""Signatures of Standard Webhooks."""

import pytest

from core.outbound.webhook_signatures import derived_secret, is_signed, sign, signed_headers

# The example of the specification.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
CONTENT = b'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'


def test_signature_matches_standard_webhooks_example():
    assert sign(SECRET, CONTENT) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize(
    ("change", "signed"),
    [
        ({}, True),
        ({"webhook-signature": "v1,AAAA"}, False),
        ({"webhook-signature": ""}, False),
        ({"webhook-signature": "v1,\xff"}, False),
        ({"webhook-id": "2"}, False),
        ({"webhook-timestamp": "0"}, False),
        ({"webhook-timestamp": "soon"}, False),
        ({"webhook-timestamp": "9" * 5000}, False),
    ],
)
def test_modified_webhook_headers_fail_verification(change, signed):
    headers = signed_headers(SECRET, id="1", payload=b"{}")

    assert is_signed(SECRET, {**headers, **change}, b"{}") is signed


def test_one_valid_signature_of_several_is_enough():
    headers = signed_headers(SECRET, id="1", payload=b"{}")
    headers["webhook-signature"] = f"v1,AAAA {headers['webhook-signature']}"

    assert is_signed(SECRET, headers, b"{}")
    assert not is_signed(derived_secret(b"another"), headers, b"{}")
    assert not is_signed(SECRET, headers, b"{ }")
