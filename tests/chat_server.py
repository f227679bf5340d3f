"""A server that records what chat and push services would be sent."""

import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it has arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class ChatServer:
    """Answers each request with `status`, `headers` and `body`, which a test may change.

    raw : sent in place of an answer
    """

    def __init__(self) -> None:
        self.status, self.headers, self.body, self.raw = 200, {}, b"{}", b""
        self.requests: list[ReceivedRequest] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _record(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.requests.append(
                    ReceivedRequest(self.command, self.path, dict(self.headers), body)
                )
                if outer.raw:
                    self.wfile.write(outer.raw)
                    self.close_connection = True
                    return
                self.send_response(outer.status)
                for name, value in {"Content-Length": len(outer.body), **outer.headers}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(outer.body)

            do_POST = do_GET = do_PUT = _record

            def log_message(self, *_: object) -> None:
                """Nothing is printed."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Refuse connections from now on."""
        self._server.shutdown()
        self._server.server_close()
