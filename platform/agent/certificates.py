"""Self-signed certificates of printers: compared with those of the first connection."""

import hashlib
import ssl
from collections.abc import Iterator

from agent.sockets import BoundedTls
from machines.drivers import NotSent

_COMMON_NAME = (0x06, b"\x55\x04\x03")  # object identifier 2.5.4.3
_VERSION = 0xA0  # an optional field of a certificate, in front of the others
_SUBJECT = 4  # after serial number, algorithm, issuer and validity


class CertificateChanged(NotSent):
    """A server has another certificate than at the first connection; nothing was sent to it."""


class CertificatePins:
    """SHA-256 of the certificates of a printer's servers, by the name of the server.

    A server without one is trusted with the certificate that it shows first.

    text : all of them, as they are stored: `ftps=6fa3… mqtt=6fa3…`
    """

    def __init__(self, text: str = ""):
        self._pins = dict(item.split("=", 1) for item in text.split() if "=" in item)

    @property
    def text(self) -> str:
        return " ".join(f"{name}={pin}" for name, pin in sorted(self._pins.items()))

    def check(self, server: str, connection: BoundedTls) -> bytes:
        """Return the certificate (DER) of a server. Raises CertificateChanged, and closes it."""
        certificate = connection.getpeercert(binary_form=True) or b""
        pin = hashlib.sha256(certificate).hexdigest()
        if self._pins.setdefault(server, pin) != pin:
            connection.close()
            raise CertificateChanged(
                "The certificate of the printer has changed. If the printer was reset or replaced, "
                "enter its access code again: its new certificate is trusted then."
            )
        return certificate


def pinning_context() -> ssl.SSLContext:
    """Return a TLS context that takes any certificate: the caller compares it with a pin."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def common_name(certificate: bytes) -> str:
    """Return the common name of the subject of a certificate (DER, RFC 5280); empty without one."""
    try:
        signed = next(_elements(next(_elements(certificate))[1]))[1]
        fields = [content for tag, content in _elements(signed) if tag != _VERSION]
        for _, names in _elements(fields[_SUBJECT]):
            for _, pair in _elements(names):
                kind, (_, value) = _elements(pair)
                if kind == _COMMON_NAME:
                    return value.decode("ascii", "replace")
    except (IndexError, StopIteration, ValueError):
        pass
    return ""


def _elements(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the elements of DER: tag and content. Raises IndexError where it breaks off."""
    at = 0
    while at < len(content):
        tag, length = content[at], content[at + 1]
        at += 2
        if length & 0x80:
            size = length & 0x7F
            length = int.from_bytes(content[at : at + size])
            at += size
        yield tag, content[at : at + length]
        at += length
