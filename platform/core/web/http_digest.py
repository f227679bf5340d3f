"""Server side of HTTP digest authentication (RFC 7616): challenges, credentials, nonces.

Only `qop=auth` is accepted, with MD5 and SHA-256, without sessions (`-sess`). Nonces are signed, so
that none is stored; each `nc` of a nonce is counted in the database, so that no request is accepted
twice.
"""

import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

from django.core import signing
from django.utils.crypto import salted_hmac

from core.web import throttling

NONCE_SECONDS = 300
# MD5 first: curl takes the first challenge, and its builds for Windows know no other algorithm. The
# passwords are random, so that neither is reversed.
ALGORITHMS = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}
_PARAMETER = re.compile(
    r'([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))', re.ASCII | re.IGNORECASE
)
_ESCAPED = re.compile(r"\\(.)")
_COUNT = re.compile(r"[0-9a-f]{8}", re.ASCII | re.IGNORECASE)
_SALT = "nonce of HTTP digest"
_ONE_WINDOW = 2**40  # s: counts of nonces are never in two windows


class DigestCredentials(NamedTuple):
    """The `Authorization` header of a request. target : path and query that it names"""

    user: str
    realm: str
    nonce: str
    target: str
    algorithm: str
    nonce_count: str
    client_nonce: str
    response: str


def challenges(realm: str, *, is_stale: bool = False) -> list[str]:
    """Values of `WWW-Authenticate`, one for each algorithm.

    is_stale : the credentials were right but for their nonce, so that a client repeats the request
               without a new question to its user
    """
    nonce = signing.TimestampSigner(salt=_SALT).sign(secrets.token_hex(8))
    stale = ", stale=true" if is_stale else ""
    return [
        f'Digest realm="{realm}", qop="auth", algorithm={name}, nonce="{nonce}"{stale}'
        for name in ALGORITHMS
    ]


def parse_credentials(header: str) -> DigestCredentials | None:
    """The credentials of an `Authorization` header; None for other schemes and odd values."""
    scheme, _, rest = header.strip().partition(" ")
    if scheme.lower() != "digest":
        return None
    values = {
        name.lower(): _ESCAPED.sub(r"\1", quoted) if quoted else bare
        for name, quoted, bare in _PARAMETER.findall(rest)
    }
    algorithm, count = values.get("algorithm", "MD5").upper(), values.get("nc", "")
    names = ("username", "realm", "nonce", "uri", "cnonce", "response")
    if not all(values.get(name) for name in names) or algorithm not in ALGORITHMS:
        return None
    if values.get("qop") != "auth" or not _COUNT.fullmatch(count):
        return None
    user, realm, nonce, target, client_nonce, response = (values[name] for name in names)
    return DigestCredentials(
        user, realm, nonce, target, algorithm, count.lower(), client_nonce, response.lower()
    )


def is_right(credentials: DigestCredentials, *, method: str, password: str) -> bool:
    """Whether the response was made with this password; nonce and target are not checked."""

    def hashed(text: str) -> str:
        return ALGORITHMS[each.algorithm](text.encode(), usedforsecurity=False).hexdigest()

    each = credentials
    account = hashed(f"{each.user}:{each.realm}:{password}")
    request = hashed(f"{method}:{each.target}")
    expected = hashed(
        f"{account}:{each.nonce}:{each.nonce_count}:{each.client_nonce}:auth:{request}"
    )
    return hmac.compare_digest(expected.encode(), each.response.encode())


def is_ours(nonce: str) -> bool:
    """Whether this installation made the nonce, at whatever time."""
    try:
        signing.TimestampSigner(salt=_SALT).unsign(nonce)
    except signing.BadSignature:
        return False
    return True


def use_nonce(credentials: DigestCredentials) -> bool:
    """Use the count of a nonce up. False where the nonce is older than NONCE_SECONDS, or was used.

    Called with right credentials only: each call is a row for a day.
    """
    try:
        signing.TimestampSigner(salt=_SALT).unsign(credentials.nonce, max_age=NONCE_SECONDS)
    except signing.BadSignature:
        return False
    name = salted_hmac(_SALT, f"{credentials.nonce} {credentials.nonce_count}").hexdigest()
    return throttling.count(f"digest_nonces {name}", _ONE_WINDOW) == 1
