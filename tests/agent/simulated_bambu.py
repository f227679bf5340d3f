"""A printer of Bambu Lab, simulated: MQTT 3.1.1 over TLS, FTPS, and a certificate of its own.

Reports and replies are as others have published them (OpenBambuAPI, ha-bambulab): a full report
for `pushall`, and what has changed otherwise. Rejected commands are answered by an echo.
"""

import json
import socket
import ssl
import tempfile
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.agent.simulated_ftps import SimulatedFtps

USER, CODE, SERIAL = "bblp", "12345678", "01P00A451601106"
REJECTED = 0x05024007
FULL = {
    "command": "push_status", "msg": 0, "gcode_state": "IDLE", "gcode_file": "",
    "subtask_name": "", "subtask_id": "0", "print_error": 0, "mc_percent": 0,
    "mc_remaining_time": 0, "layer_num": 0, "total_layer_num": 0, "spd_mag": 100,
    "nozzle_temper": 209.84, "nozzle_target_temper": 210.0, "bed_temper": 60.02,
    "bed_target_temper": 60.0, "chamber_temper": 34.0, "hms": [], "wifi_signal": "-45dBm",
    "lights_report": [{"node": "chamber_light", "mode": "on"}],
    "ams": {"ams": [], "tray_now": "255"},
    "vt_tray": {"id": "254", "tray_type": "", "tray_color": "00000000", "remain": 0},
}  # fmt: skip
AMS = {
    "ams": [
        {"id": "0", "humidity": "4", "tray": [
            {"id": "0", "tray_type": "PLA", "tray_color": "FF0000FF", "remain": 75},
            {"id": "1", "tray_type": "PETG", "tray_color": "00FF00FF", "remain": -1},
            {"id": "2"},
            {"id": "3", "tray_type": "PLA", "tray_color": "0000FFFF", "remain": 20},
        ]}
    ],
    "tray_now": "255",
}  # fmt: skip


def tls_context(name: str = SERIAL) -> ssl.SSLContext:
    """A server's context with a new self-signed certificate of this common name."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "BBL CA")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer)
    made = made.public_key(key.public_key()).serial_number(x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(1)).not_valid_after(now + timedelta(10))
    certificate = made.sign(key, hashes.SHA256())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pem"
        form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        pem = key.private_bytes(serialization.Encoding.PEM, *form)
        file.write_bytes(pem + certificate.public_bytes(serialization.Encoding.PEM))
        context.load_cert_chain(file)
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # as printers have it
    return context


class SimulatedBambu:
    """Answers as a printer does; what befalls it are its methods.

    developer_mode : without it commands are rejected
    answers        : whether commands are answered at all
    obeys          : whether a command that was taken is carried out
    """

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.context = context or tls_context()
        self.state: dict[str, Any] = json.loads(json.dumps(FULL))
        self.developer_mode = self.answers = self.obeys = True
        self.pushalls = 0
        self.requests: list[dict[str, Any]] = []
        self.clients: list[ssl.SSLSocket] = []
        self.ftps = SimulatedFtps(self.context, USER, CODE)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    # ------------------------------------------------------------ what befalls it

    def report(self, **changes: Any) -> None:
        """Report what has changed, and nothing else."""
        self.state |= changes
        self.send({"print": {"command": "push_status", "msg": 1, **changes}})

    def prints(self, name: str, percent: int = 0) -> None:
        self.report(gcode_state="RUNNING", subtask_name=name, gcode_file=f"{name}.3mf")
        self.report(mc_percent=percent, print_error=0)

    def ends(self, state: str, error: int = 0) -> None:
        self.report(gcode_state=state, print_error=error)

    def boots(self, **state: Any) -> None:
        """It was switched off and on: it knows of no print."""
        self._hang_up()
        self.state = json.loads(json.dumps(FULL)) | state

    def close(self) -> None:
        self.server.close()
        self.ftps.close()
        self._hang_up()

    def _hang_up(self) -> None:
        for client in self.clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
            client.close()
        self.clients.clear()

    # ------------------------------------------------------------ MQTT

    def send(self, body: object) -> None:
        self.send_raw(json.dumps(body).encode())

    def send_raw(self, payload: bytes) -> None:
        topic = f"device/{SERIAL}/report".encode()
        for client in self.clients:
            client.sendall(packet(0x30, len(topic).to_bytes(2) + topic + payload))

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
                client = self.context.wrap_socket(connection, server_side=True)
            except OSError:
                if self.server.fileno() < 0:
                    return
                continue
            threading.Thread(target=self._client, args=(client,), daemon=True).start()

    def _client(self, client: ssl.SSLSocket) -> None:
        try:
            with client.makefile("rb") as stream:
                while (received := read_packet(stream)) is not None:
                    self._answer(client, *received)
        except (OSError, ValueError):
            pass

    def _answer(self, client: ssl.SSLSocket, kind: int, body: bytes) -> None:
        if kind == 0x10:
            good = body.endswith(USER.encode() + len(CODE).to_bytes(2) + CODE.encode())
            client.sendall(packet(0x20, b"\x00\x00" if good else b"\x00\x05"))
        elif kind == 0x82:
            assert body[4:-1] == f"device/{SERIAL}/report".encode()
            client.sendall(packet(0x90, body[:2] + b"\x00"))
            self.clients.append(client)
        elif kind == 0x30:
            size = int.from_bytes(body[:2])
            assert body[2 : 2 + size] == f"device/{SERIAL}/request".encode()
            self.command(json.loads(body[2 + size :]))
        elif kind == 0xC0:
            client.sendall(packet(0xD0, b""))

    # ------------------------------------------------------------ commands

    def command(self, body: dict[str, Any]) -> None:
        (section, request), *_ = body.items()
        name = request["command"]
        if name == "pushall":
            self.pushalls += 1
            self.send({"print": {**self.state, "sequence_id": "7"}})
            return
        self.requests.append(request)
        if name == "get_version":
            module = {"name": "ota", "sw_ver": "01.09.00.00", "product_name": "Bambu Lab P1S"}
            self.send({"info": {**request, "module": [{"name": "esp32"}, module]}})
            return
        if not self.answers:
            return
        if not self.developer_mode:
            self.send({section: {**request, "err_code": REJECTED}})
            return
        self.send({section: {**request, "result": "SUCCESS", "reason": ""}})
        if self.obeys:
            getattr(self, f"do_{name}", lambda request: None)(request)

    def do_project_file(self, request: dict[str, Any]) -> None:
        path = request["url"].removeprefix("ftp:///")
        if path not in self.ftps.files:
            self.report(gcode_state="IDLE", print_error=0x0500C010)
            return
        self.report(gcode_state="PREPARE", subtask_name=request["subtask_name"])
        self.prints(request["subtask_name"])

    def do_pause(self, request: dict[str, Any]) -> None:
        self.report(gcode_state="PAUSE")

    def do_resume(self, request: dict[str, Any]) -> None:
        self.report(gcode_state="RUNNING")

    def do_stop(self, request: dict[str, Any]) -> None:
        self.ends("FAILED", 0x0300400C)


def packet(kind: int, body: bytes) -> bytes:
    length, size = len(body), b""
    while True:
        length, low = divmod(length, 128)
        size += bytes([low | (0x80 if length else 0)])
        if not length:
            return bytes([kind]) + size + body


def read_packet(stream: Any) -> tuple[int, bytes] | None:
    kind = stream.read(1)
    if not kind:
        return None
    length = shift = 0
    while True:
        (low,) = stream.read(1)
        length |= (low & 0x7F) << shift
        shift += 7
        if not low & 0x80:
            return kind[0], stream.read(length)
