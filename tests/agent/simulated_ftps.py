"""An implicit FTPS server as that of Bambu Lab printers: data connections continue its session."""

import socket
import ssl
import threading


class SimulatedFtps:
    """Takes `user` with `password`; `files` by their paths.

    truncates : stores half of an upload, and answers as if it had all of it
    requires_reuse : refuses data connections of another TLS session
    reused : whether the last data connection continued the session
    """

    def __init__(self, context: ssl.SSLContext, user: str, password: str) -> None:
        self.context, self.user, self.password = context, user, password
        self.files: dict[str, bytes] = {}
        self.truncates, self.requires_reuse, self.reused = False, True, False
        self.commands: list[str] = []
        self.greeting = b"220 ready\r\n"
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self._session, args=(connection,), daemon=True).start()

    def _session(self, connection: socket.socket) -> None:
        try:
            with self.context.wrap_socket(connection, server_side=True) as control:
                control.sendall(self.greeting)
                _Session(self, control).run()
        except OSError:
            pass

    def close(self) -> None:
        self.server.close()


class _Session:
    """A control connection."""

    def __init__(self, server: SimulatedFtps, control: ssl.SSLSocket) -> None:
        self.server, self.control = server, control
        self.listener: socket.socket | None = None
        self.user = ""

    def run(self) -> None:
        with self.control.makefile("r") as lines:
            for line in lines:
                self.server.commands.append(line.split(" ")[0].strip())
                name, _, value = line.strip().partition(" ")
                self.answer(getattr(self, f"do_{name.lower()}", self.unknown)(value))

    def answer(self, text: str) -> None:
        self.control.sendall(text.encode() + b"\r\n")

    def unknown(self, value: str) -> str:
        return "502 not implemented"

    def do_user(self, value: str) -> str:
        self.user = value
        return "331 password"

    def do_pass(self, value: str) -> str:
        good = (self.user, value) == (self.server.user, self.server.password)
        return "230 logged in" if good else "530 login incorrect"

    def do_pbsz(self, value: str) -> str:
        return "200 ok"

    do_prot = do_type = do_pbsz

    def do_pasv(self, value: str) -> str:
        self.listener = socket.create_server(("127.0.0.1", 0))
        port = self.listener.getsockname()[1]
        # No connection to the address is allowed.
        return f"227 Entering Passive Mode (203,0,113,9,{port >> 8},{port & 255})."

    def do_stor(self, path: str) -> str:
        assert self.listener is not None
        data, _ = self.listener.accept()
        self.answer("150 go on")
        with self.server.context.wrap_socket(data, server_side=True) as secured:
            self.server.reused = bool(secured.session_reused)
            if self.server.requires_reuse and not self.server.reused:
                return "522 SSL connection failed: session reuse required"
            content = b""
            while chunk := secured.recv(1 << 16):
                content += chunk
        size = len(content) // 2 if self.server.truncates else len(content)
        self.server.files[path] = content[:size]
        return "226 done"

    def do_size(self, path: str) -> str:
        content = self.server.files.get(path)
        return "550 no file" if content is None else f"213 {len(content)}"

    def do_dele(self, path: str) -> str:
        return "250 deleted" if self.server.files.pop(path, None) is not None else "550 no file"
