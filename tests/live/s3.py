"""A real S3 server, SeaweedFS, and the line to it, which can be slow, cut, or lie."""

import json
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import requests

from core.files.storage.presigned_urls import presigned
from core.files.storage_url import Address, read_address
from tests.live.machines import Process
from tests.live.processes import ROOT, free_ports
from tests.waiting import wait_for

KEY, SECRET = "platform", "a-secret-of-tests"
KEYS = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
BUCKET = "files"
IDENTITY = {
    "name": "platform",
    "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
    "actions": ["Admin", "Read", "Write", "List", "Tagging"],
}
PARTS = ("master", "volume", "filer", "s3")
LOST = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
BROKEN = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"
REFUSED = b"HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n"
VERBS = (b"GET ", b"HEAD ", b"PUT ", b"POST ", b"DELETE ")


class Server(Process):
    """SeaweedFS with one bucket, which is there again after a kill."""

    def __init__(self, folder: Path):
        super().__init__(folder / "log")
        subprocess.run([ROOT / "bin" / "install-seaweedfs"], check=True)
        self._folder = folder
        ports = iter(free_ports(2 * len(PARTS)))
        self._ports = {name: (next(ports), next(ports)) for name in PARTS}
        self.port = self._ports["s3"][0]
        (folder / "data").mkdir()
        (folder / "s3.json").write_text(json.dumps({"identities": [IDENTITY]}))

    def start(self) -> None:
        """Return once it takes files into its bucket."""
        ports = [
            option
            for name, (own, grpc) in self._ports.items()
            for option in (f"-{name}.port={own}", f"-{name}.port.grpc={grpc}")
        ]
        self._start(
            str(ROOT / ".cache" / "seaweedfs" / "bin" / "weed"),
            *("server", "-s3", "-ip=127.0.0.1", f"-dir={self._folder / 'data'}", *ports),
            *(f"-s3.config={self._folder / 's3.json'}", "-s3.iam=false", "-master.telemetry=false"),
            *("-s3.port.iceberg=0", "-s3.port.lance=0", "-volume.max=100"),
            "-master.volumeSizeLimitMB=64",
        )
        wait_for(self._has_bucket)

    def _has_bucket(self) -> bool:
        with suppress(requests.RequestException):
            own = address(self.port)
            made = requests.put(presigned(own, "", method="PUT", seconds=60), timeout=5)
            put = presigned(own, "first", method="PUT", seconds=60)
            return made.status_code in (200, 409) and requests.put(put, b"x", timeout=20).ok
        return False


def url(port: int) -> str:
    """The FILES_URL of a server at this port."""
    return f"s3://{BUCKET}/platform?endpoint=http://127.0.0.1:{port}"


def address(port: int) -> Address:
    """What that stands for."""
    return read_address(url(port), KEYS)


class Line:
    """A proxy in front of the server.

    mode: "" passes everything on; "down" cuts every connection; "held" takes requests and answers
    none; "slow" passes each request on after two seconds; "lying" changes a byte of each file that
    is read; "losing" has no file that is asked for; "failing" answers 500 to everything, and
    "refusing" 412 to every file that is brought
    """

    def __init__(self, server: int):
        self.mode = ""
        self._server = server
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def set(self, mode: str) -> None:
        """Be so from now on; connections of before are cut."""
        self.mode = mode
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take no more."""
        self._listener.close()
        self.set("down")

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.mode == "down":
                    client.close()
                else:
                    threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with (
            client,
            suppress(OSError),
            socket.create_connection(("127.0.0.1", self._server)) as server,
        ):
            self._open |= {client, server}
            back = threading.Thread(target=self._back, args=(server, client), daemon=True)
            back.start()
            last, refused = 0.0, False
            while data := client.recv(1 << 16):
                if self.mode == "held":
                    continue
                if self.mode == "losing" and _reads_file(data):
                    client.sendall(LOST)
                    continue
                if self.mode in ("failing", "refusing") and _is_for(data, self.mode):
                    client.sendall(BROKEN if self.mode == "failing" else REFUSED)
                    refused = True
                    continue
                if refused and not data.startswith(VERBS):
                    continue  # the body of what was refused
                refused = False
                if self.mode == "slow" and time.monotonic() - last > 0.5:
                    time.sleep(2)
                server.sendall(data)
                last = time.monotonic()
            server.shutdown(socket.SHUT_WR)
            back.join()
        self._open -= {client, server}

    def _back(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                client.sendall(_changed(data) if self.mode == "lying" else data)
            client.shutdown(socket.SHUT_WR)


def _is_for(data: bytes, mode: str) -> bool:
    """Whether this is where a request begins that is not answered well."""
    return data.startswith(VERBS if mode == "failing" else (b"PUT ", b"POST "))


def _reads_file(request: bytes) -> bool:
    """Whether a request is for a stored file, and no list."""
    line = request.partition(b"\r\n")[0]
    return line.startswith((b"GET ", b"HEAD ")) and b"/blobs/" in line and b"list-type" not in line


def _changed(answer: bytes) -> bytes:
    """Another last byte, where an answer has bytes of a file with it."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 20") or b"xml" in head or not body:
        return answer
    return head + end + body[:-1] + bytes([body[-1] ^ 1])


def port_of(link: str) -> int:
    """Where a URL leads."""
    return urlsplit(link).port or 80
