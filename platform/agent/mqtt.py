"""MQTT 3.1.1 client (OASIS standard, 2014) for QoS 0: the part that reports of a printer need.

paho-mqtt takes packets of up to 256 MiB, and starts threads; here a connection is read by who
wants its messages, and a packet has at most MAX_PACKET bytes.
"""

import secrets
import time
from collections.abc import Iterator
from typing import NamedTuple

from agent.sockets import BoundedTls
from machines.drivers import NoAnswer, Rejected, WrongKey

MAX_PACKET = 1 << 18  # bytes; a full report has 10 to 30 kB
MAX_READ = 1 << 20  # bytes that are read at once, however many come
CHUNK = 1 << 16
CONNECT_TIME = 5.0  # s until the broker answers
SHORT = 0.02  # s to wait for what has come already
KEEPALIVE = 60  # s: the broker closes a connection that is silent for one and a half times as long
PING_EVERY, MAX_IDLE = 20.0, 60.0  # s
CONNECT, CONNACK, PUBLISH, SUBSCRIBE, PINGREQ = 0x10, 0x20, 0x30, 0x82, 0xC0
CLEAN_WITH_LOGIN = 0xC2  # flags: user name, password, clean session
WRONG_LOGIN = (4, 5)  # codes of CONNACK


class Message(NamedTuple):
    """A message of a topic."""

    topic: str
    payload: bytes


class MqttConnection:
    """A session with a broker over a connection that has no other user.

    Raises NoAnswer where the broker does not answer or breaks off, WrongKey, and Rejected.
    """

    def __init__(self, connection: BoundedTls, user: str, password: str):
        self._connection, self._buffer = connection, bytearray()
        self._sent = self._received = time.monotonic()
        name = f"agent-{secrets.token_hex(6)}"
        flags = bytes([4, CLEAN_WITH_LOGIN]) + KEEPALIVE.to_bytes(2)
        self._send(CONNECT, _text("MQTT") + flags + _text(name) + _text(user) + _text(password))
        deadline = time.monotonic() + CONNECT_TIME
        packets = self._packets()
        while (packet := next(packets, None)) is None:
            if not self._read(deadline):
                raise NoAnswer("The MQTT broker does not answer.")
            packets = self._packets()
        kind, body = packet
        if kind != CONNACK or len(body) != 2:
            raise NoAnswer("What answers is no MQTT broker.")
        if body[1] in WRONG_LOGIN:
            raise WrongKey("The printer does not accept the access code.")
        if body[1]:
            raise Rejected(f"The MQTT broker refuses the connection: code {body[1]}.")

    def subscribe(self, topic: str) -> None:
        self._send(SUBSCRIBE, b"\x00\x01" + _text(topic) + b"\x00")

    def publish(self, topic: str, payload: bytes) -> None:
        self._send(PUBLISH, _text(topic) + payload)

    def receive(self, wait: float = 0.0) -> list[Message]:
        """Return the messages that have come; wait for the first one for at most `wait` seconds."""
        now = time.monotonic()
        if now - self._received > MAX_IDLE:
            raise NoAnswer(f"The MQTT broker has been silent for {MAX_IDLE:g} seconds.")
        if now - self._sent > PING_EVERY:
            self._send(PINGREQ, b"")
        messages: list[Message] = []
        deadline, size = now + max(wait, SHORT), 0
        while True:
            for kind, body in self._packets():
                if kind & 0xF0 == PUBLISH:
                    messages.append(_message(kind, body))
            if messages:
                deadline = time.monotonic() + SHORT
            if size >= MAX_READ or not (count := self._read(deadline)):
                return messages
            size += count

    def close(self) -> None:
        self._connection.close()

    def _send(self, kind: int, body: bytes) -> None:
        length, size = len(body), bytearray()
        while True:
            length, low = divmod(length, 128)
            size.append(low | (0x80 if length else 0))
            if not length:
                break
        try:
            self._connection.bound(time.monotonic() + CONNECT_TIME)
            self._connection.sendall(bytes([kind]) + size + body)
        except OSError as error:
            raise NoAnswer(f"The MQTT connection broke off: {error}.") from error
        self._sent = time.monotonic()

    def _read(self, deadline: float) -> int:
        """Read bytes into the buffer; return their number, 0 where none come in time."""
        try:
            self._connection.bound(deadline)
            chunk = self._connection.recv(CHUNK)
        except TimeoutError:
            return 0
        except OSError as error:
            raise NoAnswer(f"The MQTT connection broke off: {error}.") from error
        if not chunk:
            raise NoAnswer("The MQTT broker has closed the connection.")
        self._buffer += chunk
        self._received = time.monotonic()
        return len(chunk)

    def _packets(self) -> Iterator[tuple[int, bytes]]:
        """Yield the complete packets of the buffer: first byte and body."""
        while True:
            length, at = 0, 1
            while True:
                if at >= len(self._buffer):
                    return
                low = self._buffer[at]
                length |= (low & 0x7F) << 7 * (at - 1)
                at += 1
                if not low & 0x80:
                    break
                if at > 4:
                    raise NoAnswer("What answers is no MQTT broker.")
            if length > MAX_PACKET:
                raise NoAnswer(f"A packet of the MQTT broker has more than {MAX_PACKET} bytes.")
            if len(self._buffer) < at + length:
                return
            packet = self._buffer[0], bytes(self._buffer[at : at + length])
            del self._buffer[: at + length]
            yield packet


def _message(kind: int, body: bytes) -> Message:
    size = int.from_bytes(body[:2])
    start = 2 + size + (2 if kind & 0x06 else 0)  # a number follows the topic above QoS 0
    return Message(body[2 : 2 + size].decode("utf-8", "replace"), body[start:])


def _text(text: str) -> bytes:
    content = text.encode()
    return len(content).to_bytes(2) + content
