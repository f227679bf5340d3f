"""EMAIL_URL: parser of the settings of outgoing mail."""

from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

_BACKENDS = {
    "console": "core.outbound.terminal_email.Terminal",
    "file": "django.core.mail.backends.filebased.EmailBackend",
    "smtp": "django.core.mail.backends.smtp.EmailBackend",
    "smtps": "django.core.mail.backends.smtp.EmailBackend",
}
_PORTS = {"smtp": 25, "smtps": 465}


@dataclass(frozen=True)
class Mail:
    """Django's settings of mail; tls: from the first byte, starttls: after the greeting."""

    backend: str
    host: str
    port: int
    user: str
    password: str
    tls: bool
    starttls: bool
    folder: str | None


def read_email_url(url: str) -> Mail:
    """Return the settings of an e-mail URL.

    console:                          print mails on the terminal
    file:///folder                    write them as files
    smtp://user:password@host:port    send to a server; with ?tls=1 by STARTTLS
    smtps://user:password@host:port   the same, by TLS

    Raises ValueError for any other URL.
    """
    parts = urlsplit(url)
    if parts.scheme not in _BACKENDS:
        raise ValueError(
            f"EMAIL_URL begins with {parts.scheme!r}: use one of "
            f"{', '.join(f'{scheme}:' for scheme in _BACKENDS)}."
        )
    if parts.scheme in _PORTS and not parts.hostname:
        raise ValueError("EMAIL_URL names no server: write smtp://user:password@host:port")
    return Mail(
        backend=_BACKENDS[parts.scheme],
        host=parts.hostname or "",
        port=parts.port or _PORTS.get(parts.scheme, 0),
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        tls=parts.scheme == "smtps",
        starttls=parse_qs(parts.query).get("tls", ["0"])[0] not in ("0", "false"),
        folder=parts.path if parts.scheme == "file" else None,
    )
