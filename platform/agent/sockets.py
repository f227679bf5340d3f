"""Sockets to hosts in the shop's network: allowed addresses only, and a deadline for all bytes."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, cast

from machines.drivers import NotSent

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

TIMEOUT = 3.0  # s for a request, from the name to the last byte of the answer

Network = IPv4Network | IPv6Network

# Where machines stand, unless the shop says otherwise: not this computer, and not the world.
SHOP = tuple(
    ip_network(item) for item in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)


class AddressNotAllowed(NotSent):
    """The address is in none of the networks that an agent may reach."""


class _Deadline(socket.socket):
    """Ends the use of a socket at a moment, however little comes at a time."""

    _deadline: float | None = None
    _idle_timeout = TIMEOUT

    def bound(self, deadline: float | None, idle_timeout: float = TIMEOUT) -> None:
        """Be over at `deadline`; without one, after `idle_timeout` seconds without bytes."""
        self._deadline, self._idle_timeout = deadline, idle_timeout
        self._hurry()

    def _hurry(self) -> None:
        left = self._idle_timeout if self._deadline is None else self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("it took too long")
        self.settimeout(left)


class BoundedSocket(_Deadline):
    """A socket with a deadline."""

    def recv_into(self, buffer: WriteableBuffer, nbytes: int = 0, flags: int = 0) -> int:
        self._hurry()
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: ReadableBuffer, flags: int = 0, /) -> None:
        self._hurry()
        super().sendall(data, flags)


class BoundedTls(_Deadline, ssl.SSLSocket):
    """A TLS connection with a deadline; all reading and writing goes through these two."""

    def read(self, len: int = 1024, buffer: WriteableBuffer | None = None) -> bytes:
        self._hurry()
        return super().read(len, buffer)

    def send(self, data: ReadableBuffer, flags: int = 0) -> int:
        self._hurry()
        return super().send(data, flags)


def open_socket(
    host: str,
    port: int,
    networks: Sequence[Network] | None,
    deadline: float | None,
    idle_timeout: float = TIMEOUT,
) -> BoundedSocket:
    """Return a connection to the first address of a host that takes one.

    networks : which addresses may be reached; None: any

    Raises NotSent, and AddressNotAllowed for an address outside the networks.
    """
    try:
        name = "127.0.0.1" if host.endswith(".localhost") else host
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise NotSent(f"{host} is not found: {error}.") from error
    failed: OSError | None = None
    for family, kind, protocol, _, address in found:
        require_allowed(str(address[0]), networks)
        made = BoundedSocket(family, kind, protocol)
        try:
            made.bound(deadline, idle_timeout)
            made.connect(address)
            return made
        except OSError as error:
            made.close()
            failed = error
    raise NotSent(f"{host} takes no connection: {failed}.") from failed


def secure(
    made: BoundedSocket,
    context: ssl.SSLContext,
    host: str | None = None,
    session: ssl.SSLSession | None = None,
) -> BoundedTls:
    """Return the TLS connection over a socket, with its deadline. Raises OSError.

    host    : whose certificate is checked, where the context checks it
    session : of another connection of the context, which is continued
    """
    context.sslsocket_class = BoundedTls
    try:
        wrapped = context.wrap_socket(made, server_hostname=host, session=session)
        secured = cast(BoundedTls, wrapped)
    except OSError:
        made.close()
        raise
    secured.bound(made._deadline, made._idle_timeout)
    return secured


def open_tls(
    host: str,
    port: int,
    networks: Sequence[Network] | None,
    deadline: float,
    context: ssl.SSLContext,
) -> BoundedTls:
    """Return a TLS connection as `open_socket` and `secure` make it. Raises NotSent."""
    made = open_socket(host, port, networks, deadline)
    try:
        return secure(made, context)
    except OSError as error:
        raise NotSent(f"{host} has no TLS server at port {port}: {error}.") from error


def require_allowed(address: str, networks: Sequence[Network] | None) -> None:
    """Raise AddressNotAllowed for an IP address outside the networks."""
    ip = ip_address(address.partition("%")[0])
    if networks is not None and not any(ip in network for network in networks):
        raise AddressNotAllowed(
            f"{address} is in none of the shop's networks: name its network in `networks` "
            "if a machine stands there."
        )
