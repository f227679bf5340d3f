"""Ends responses whose client does not read, and sends large ones in pieces, so that it shows."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

PIECE = 32 * 1024  # bytes that are handed to the server at a time; it keeps some ten of them
STALL = 30  # seconds in which a client must read some of what was sent


class ClientStalled(Exception):
    """The client has not read for STALL seconds."""


def paced(send: Send) -> Send:
    """Return a `send` that raises ClientStalled where the client does not read.

    The server takes a piece once the client has read enough of those before; of a body that is
    handed over whole it would keep all in memory, without a time limit.
    """

    async def send_piece(message: Message) -> None:
        try:
            async with asyncio.timeout(STALL):
                await send(message)
        except TimeoutError:
            raise ClientStalled(f"The client read nothing for {STALL} s.") from None

    async def send_pieces(message: Message) -> None:
        body = message.get("body", b"")
        while len(body) > PIECE:
            await send_piece({"type": message["type"], "body": body[:PIECE], "more_body": True})
            body = body[PIECE:]
        await send_piece({**message, "body": body} if "body" in message else message)

    return send_pieces


def close_unread_connections() -> None:
    """Have the kernel close this process's connections whose client has not read for STALL seconds.

    The server itself would keep one, with the rest of the response, for as long as the client
    likes. Connections inherit the option from the socket that accepts them (tcp(7),
    TCP_USER_TIMEOUT).
    """
    for listener in _listeners():
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALL * 1000)


def _listeners() -> Iterator[socket.socket]:
    for name in os.listdir("/proc/self/fd"):
        try:
            opened = socket.socket(fileno=os.dup(int(name)))
        except OSError:  # no socket, or closed since
            continue
        with opened:
            if opened.family in (socket.AF_INET, socket.AF_INET6) and _accepts(opened):
                yield opened


def _accepts(opened: socket.socket) -> bool:
    return bool(opened.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
