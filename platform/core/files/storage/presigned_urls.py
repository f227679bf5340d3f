"""Presigned URLs (AWS Signature Version 4).

obstore signs as well, but knows neither headers of the answer nor of the request.
"""

import hashlib
import hmac
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

from core.files.storage_url import Address

_ALGORITHM = "AWS4-HMAC-SHA256"


def presigned(
    address: Address,
    key: str,
    *,
    seconds: int,
    method: str = "GET",
    query: dict[str, str] | None = None,
    headers: dict[str, str] | None = None,
    now: datetime | None = None,
) -> str:
    """The URL of an object of the bucket for `method`, until so many seconds from now.

    query   : further parameters, such as response-content-type
    headers : what the request will have beside Host, by lower-case names
    """
    now = now or datetime.now(UTC)
    parts = urlsplit(f"{address.root}/{quote(key, safe='/-_.~')}")
    signed = {"host": parts.netloc, **(headers or {})}
    day, moment = now.strftime("%Y%m%d"), now.strftime("%Y%m%dT%H%M%SZ")
    scope = f"{day}/{address.region}/s3/aws4_request"
    parameters = {
        **(query or {}),
        "X-Amz-Algorithm": _ALGORITHM,
        "X-Amz-Credential": f"{address.key}/{scope}",
        "X-Amz-Date": moment,
        "X-Amz-Expires": str(seconds),
        "X-Amz-SignedHeaders": ";".join(sorted(signed)),
        **({"X-Amz-Security-Token": address.session} if address.session else {}),
    }
    text = "&".join(
        f"{quote(k, safe='-_.~')}={quote(parameters[k], safe='-_.~')}" for k in sorted(parameters)
    )
    canonical = "\n".join(
        [
            method,
            parts.path,
            text,
            *(f"{name}:{signed[name]}" for name in sorted(signed)),
            "",
            ";".join(sorted(signed)),
            "UNSIGNED-PAYLOAD",
        ]
    )
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    words = "\n".join([_ALGORITHM, moment, scope, hashed])
    secret = f"AWS4{address.secret}".encode()
    for step in (day, address.region, "s3", "aws4_request"):
        secret = hmac.digest(secret, step.encode(), hashlib.sha256)
    signature = hmac.digest(secret, words.encode(), hashlib.sha256).hex()
    return f"{parts.scheme}://{parts.netloc}{parts.path}?{text}&X-Amz-Signature={signature}"
