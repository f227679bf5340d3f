"""The video server of an X1 printer, simulated: RTSP over TLS; and a program in place of ffmpeg.

Instead of a video the server sends a JPEG as the body of its answer to DESCRIBE, which the program
writes.
"""

import base64
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

from tests.agent.simulated_bambu import CODE, USER, tls_context

PICTURE = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 400 + b"\xff\xd9"
LOGIN = base64.b64encode(f"{USER}:{CODE}".encode()).decode()


class SimulatedStream:
    """Answers each connection's request for the stream.

    answer   : what is sent after a right login; None for nothing
    requests : first lines of requests
    """

    def __init__(self) -> None:
        self.context = tls_context()
        self.answer: bytes | None = reply(PICTURE)
        self.requests: list[str] = []
        self.is_over = threading.Event()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = self.server.getsockname()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self.is_over.set()
        self.server.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with suppress(OSError), self.context.wrap_socket(client, server_side=True) as secured:
            request = b""
            while b"\r\n\r\n" not in request and (part := secured.recv(4096)):
                request += part
            if not request:
                return
            self.requests.append(request.partition(b"\r\n")[0].decode())
            if f"Authorization: Basic {LOGIN}\r\n".encode() not in request:
                secured.sendall(b"RTSP/1.0 401 Unauthorized\r\n\r\n")
            elif self.answer is not None:
                secured.sendall(self.answer)
            self.is_over.wait(20)


def reply(body: bytes, status: str = "200 OK", header: str = "") -> bytes:
    return f"RTSP/1.0 {status}\r\n{header}Content-Length: {len(body)}\r\n\r\n".encode() + body


_PROGRAM = """#!{python}
import base64, json, os, re, socket, sys
with open({log!r}, "a") as log:
    log.write(json.dumps([sys.argv, dict(os.environ)]) + "\\n")
user, code, port, path = re.search(
    r"^file 'rtsp://(.*?):(.*?)@127.0.0.1:(\\d+)(.*)'$", sys.stdin.read(), re.M
).groups()
there = socket.create_connection(("127.0.0.1", int(port)))
login = base64.b64encode(f"{{user}}:{{code}}".encode()).decode()
lines = f"DESCRIBE {{path}} RTSP/1.0", f"Authorization: Basic {{login}}", "", ""
there.sendall("\\r\\n".join(lines).encode())
answers = there.makefile("rb")
status = answers.readline().decode().strip()
length = 0
while line := answers.readline().strip():
    if line.lower().startswith(b"content-length:"):
        length = int(line.split(b":")[1])
if " 200 " not in f"{{status}} ":
    sys.exit(f"Error opening rtsp://{{user}}:{{code}}@127.0.0.1: server returned {{status}}")
sys.stdout.buffer.write(answers.read(length))
"""


def install_program(folder: Path) -> Path:
    """Write a program `ffmpeg`; return the file that gets its arguments and its environment."""
    program, log = folder / "ffmpeg", folder / "runs.jsonl"
    program.write_text(_PROGRAM.format(python=sys.executable, log=str(log)))
    program.chmod(0o755)
    return log
