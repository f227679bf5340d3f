"""What hostile MQTT and FTPS servers can do to an agent: nothing but be reported."""

import socket
import threading
import time

import pytest

from agent.certificates import common_name, pinning_context
from agent.mqtt import MAX_PACKET, MqttConnection
from agent.sockets import open_socket, secure
from machines.drivers import NoAnswer, NotSent, Rejected
from tests.agent.conftest import HERE
from tests.agent.simulated_bambu import packet, tls_context


@pytest.fixture
def broker():
    """`broker(answer)`: the port of a TLS server whose connection `answer` deals with."""
    servers = []

    def start(answer):
        server, context = socket.create_server(("127.0.0.1", 0)), tls_context()
        servers.append(server)

        def serve() -> None:
            try:
                with context.wrap_socket(server.accept()[0], server_side=True) as connection:
                    connection.recv(1 << 16)
                    answer(connection)
                    connection.recv(1)
            except OSError:
                pass  # the agent has hung up

        threading.Thread(target=serve, daemon=True).start()
        return server.getsockname()[1]

    yield start
    for server in servers:
        server.close()


def connect(port: int) -> MqttConnection:
    made = open_socket("127.0.0.1", port, HERE, time.monotonic() + 5)
    return MqttConnection(secure(made, pinning_context()), "bblp", "code")


def sends(*packets: bytes):
    return lambda connection: connection.sendall(b"".join(packets))


ACCEPTED = packet(0x20, b"\x00\x00")


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (packet(0x30, b"\x00\x01ax"), NoAnswer, "is no MQTT broker"),
        (packet(0x20, b"\x00"), NoAnswer, "is no MQTT broker"),
        (b"\x20\xff\xff\xff\xff\x01", NoAnswer, "is no MQTT broker"),
        (b"\x20\xff\xff\xff\x7f", NoAnswer, f"more than {MAX_PACKET} bytes"),
        (packet(0x20, b"\x00\x03"), Rejected, "code 3"),
    ],
)
def test_senseless_answer_to_the_login_is_an_error(broker, answer, error, text):
    with pytest.raises(error, match=text):
        connect(broker(sends(answer)))


def test_broker_that_does_not_answer_is_left_in_time(broker, monkeypatch):
    monkeypatch.setattr("agent.mqtt.CONNECT_TIME", 0.3)

    with pytest.raises(NoAnswer, match="does not answer"):
        connect(broker(lambda connection: None))


def test_large_packet_is_not_read(broker):
    connection = connect(broker(sends(ACCEPTED, b"\x30\xff\xff\xff\x7f")))

    with pytest.raises(NoAnswer, match=f"more than {MAX_PACKET} bytes"):
        connection.receive(5)


def test_packets_in_pieces_are_joined(broker):
    stream = ACCEPTED + packet(0x30, b"\x00\x01t" + b"x" * 300)

    def drip(connection) -> None:
        for at in range(len(stream)):
            connection.sendall(stream[at : at + 1])

    connection = connect(broker(drip))
    messages = []
    while not messages:
        messages = connection.receive(5)

    assert messages == [("t", b"x" * 300)]


def test_endless_messages_are_read_in_parts(broker, monkeypatch):
    monkeypatch.setattr("agent.mqtt.MAX_READ", 100_000)
    message = packet(0x30, b"\x00\x01t" + b"x" * 1000)

    def flood(connection) -> None:
        connection.sendall(ACCEPTED)
        while True:
            connection.sendall(message)

    connection = connect(broker(flood))

    assert 0 < len(connection.receive(5)) < 400
    connection.close()


def test_silent_broker_is_lost(broker):
    connection = connect(broker(sends(ACCEPTED)))
    connection._received -= 61

    with pytest.raises(NoAnswer, match="silent for 60 seconds"):
        connection.receive()


@pytest.mark.parametrize(
    "content", [b"", b"\x30", b"\x30\x84\xff\xff\xff\xff", b"\x00" * 40, b"\x30\x80" * 9]
)
def test_senseless_certificate_names_nobody(content):  # fmt: skip
    assert common_name(content) == ""


# ---------------------------------------------------------------- FTPS


@pytest.mark.parametrize(
    "greeting",
    [b"220-\r\n" * 1000, b"nonsense\r\n", b"421 busy\r\n", b"220 " + b"x" * 100_000 + b"\r\n", b""],
)
def test_hostile_greeting_of_the_ftps_server_is_an_error(bambu, greeting, monkeypatch):
    monkeypatch.setattr("agent.ftps.LOGIN_TIME", 1.0)
    bambu.machine.ftps.greeting = greeting

    with pytest.raises((NoAnswer, NotSent)):
        bambu.driver.drop("a-1.gcode")


def test_address_of_a_passive_answer_is_not_connected_to(bambu):
    """The server names 203.0.113.9: files go to the printer's own address."""
    bambu.driver.put(bambu.file, "a-1.gcode")

    assert list(bambu.machine.ftps.files) == ["cache/a-1.gcode.3mf"]
