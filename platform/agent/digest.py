"""Client side of HTTP digest authentication (RFC 7616, and RFC 2069 for old servers)."""

import hashlib
import re
import secrets
from threading import Lock

_HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}
_PARAMETER = re.compile(r'([a-z]+)\s*=\s*(?:"([^"\\]*)"|([^\s",]+))', re.ASCII | re.IGNORECASE)


class DigestLogin:
    """A user and a password; the password is never sent.

    The challenge of a server is kept, so that only the first request, and one after the end of its
    nonce, is sent twice.
    """

    def __init__(self, user: str, password: str):
        self._user, self._password = user, password
        self._challenge: dict[str, str] = {}
        self._count, self._lock = 0, Lock()

    def learn(self, challenge: str) -> bool:
        """Keep a `WWW-Authenticate` header. False if it is no other digest than the last one."""
        scheme, _, rest = challenge.strip().partition(" ")
        values = {name.lower(): quoted or bare for name, quoted, bare in _PARAMETER.findall(rest)}
        algorithm = values.get("algorithm", "MD5").upper().removesuffix("-SESS")
        offered = [one.strip() for one in values.get("qop", "auth").split(",")]
        with self._lock:
            same = values.get("nonce") == self._challenge.get("nonce")
            if scheme.lower() != "digest" or algorithm not in _HASHES or "auth" not in offered:
                return False
            if same or not values.get("nonce"):
                return False
            self._challenge, self._count = values, 0
        return True

    def header(self, method: str, path: str) -> str | None:
        """The `Authorization` header of a request; None before the first challenge."""
        with self._lock:
            challenge, self._count = self._challenge, self._count + 1
            number = f"{self._count:08x}"
        if not challenge:
            return None
        client, nonce = secrets.token_hex(8), challenge["nonce"]
        algorithm = challenge.get("algorithm", "MD5")
        name, _, session = algorithm.upper().partition("-SESS")
        is_session = algorithm.upper().endswith("-SESS")

        def hashed(text: str) -> str:
            return _HASHES[name](text.encode(), usedforsecurity=False).hexdigest()

        realm = challenge.get("realm", "")
        account = hashed(f"{self._user}:{realm}:{self._password}")
        if is_session:
            account = hashed(f"{account}:{nonce}:{client}")
        request = hashed(f"{method}:{path}")
        values = {"username": self._user, "realm": realm, "nonce": nonce, "uri": path}
        values |= {key: challenge[key] for key in ("opaque",) if key in challenge}
        bare = {"algorithm": algorithm} if "algorithm" in challenge else {}
        if "qop" in challenge:
            response = hashed(f"{account}:{nonce}:{number}:{client}:auth:{request}")
            bare |= {"qop": "auth", "nc": number}
            values["cnonce"] = client
        else:
            response = hashed(f"{account}:{nonce}:{request}")
            values |= {"cnonce": client} if is_session else {}
        values["response"] = response
        parts = [f'{key}="{value}"' for key, value in values.items()]
        return "Digest " + ", ".join([*parts, *(f"{key}={value}" for key, value in bare.items())])
