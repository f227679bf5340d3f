"""Signatures of callbacks, as the platform makes them."""

import time

import pytest

from core.outbound.webhook_signatures import sign
from manufacturing.webhooks import verify

OLD, NEW = "whsec_" + "b2xk" * 8, "whsec_" + "bmV3" * 8


def message(*secrets: str, age: int = 0) -> dict[str, str]:
    moment = int(time.time()) - age
    signed = [sign(secret, f"7.{moment}.".encode() + b"{}") for secret in secrets]
    return {
        "Webhook-Id": "7",
        "Webhook-Timestamp": str(moment),
        "Webhook-Signature": " ".join(signed),
    }


@pytest.mark.parametrize("secrets", [NEW, [NEW], [OLD, NEW]])
def test_signature_of_the_platform_is_verified(secrets):
    assert verify(message(OLD, NEW), b"{}", secrets)


@pytest.mark.parametrize(
    ("headers", "body", "secrets"),
    [
        (message(NEW), b"{ }", [NEW]),
        (message(OLD), b"{}", [NEW]),
        (message(NEW, age=900), b"{}", [NEW]),
        (message(NEW), b"{}", []),
        ({**message(NEW), "Webhook-Id": "8"}, b"{}", NEW),
        ({**message(NEW), "Webhook-Timestamp": "9" * 5000}, b"{}", NEW),
        ({}, b"{}", NEW),
    ],
)
def test_invalid_signature_is_rejected(headers, body, secrets):
    assert not verify(headers, body, secrets)
