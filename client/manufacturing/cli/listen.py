"""`mp listen`: forwards events to a local URL as signed callbacks."""

import base64
import json
import secrets
import time
from uuid import NAMESPACE_URL, uuid5

from manufacturing import config
from manufacturing.request_encoding import Resource
from manufacturing.transport import LOST, Transport
from manufacturing.webhooks import signature

FILE = "listen.json"
TRIES, PAUSE, TIMEOUT = 3, 1.0, 15.0


def secret() -> str:
    """The secret that is signed with; made once."""
    if not (found := config.read(FILE).get("secret", "")):
        found = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        config.write(json.dumps({"secret": found}), FILE)
    return found


def body(event: Resource) -> bytes:
    """What a callback tells: the resource, and each property that changed."""
    told = {"uri": event["uri"], **event["changes"]}
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()


def headers(event: Resource, sent: bytes, key: str, attempt: int) -> dict[str, str]:
    """What comes with it; the id is the same at each attempt, and each time it is listened to."""
    number = str(uuid5(NAMESPACE_URL, f"{event['uri']}#{event['sequence']}"))
    moment = str(int(time.time()))
    return {
        "Content-Type": "application/json",
        "webhook-id": number,
        "webhook-sequence": str(event["sequence"]),
        "webhook-attempt": str(attempt),
        "webhook-timestamp": moment,
        "webhook-signature": signature(key, f"{number}.{moment}.".encode() + sent).decode(),
    }


def deliver(event: Resource, url: str, key: str) -> str:
    """Send it, three times at most; how that ended: a status, or what stood in the way."""
    sent, outcome = body(event), ""
    transport = Transport(url, "")
    for attempt in range(1, TRIES + 1):
        try:
            end = time.monotonic() + TIMEOUT
            told = headers(event, sent, key, attempt)
            outcome = str(transport.once("POST", url, sent, told, end).status)
        except LOST as error:
            outcome = str(error) or repr(error)
        if outcome.startswith("2") and len(outcome) == 3:
            break
        time.sleep(PAUSE if attempt < TRIES else 0)
    transport.close()
    return outcome
