"""Implicit FTPS to a printer: upload, size and deletion of files.

Data connections continue the TLS session of the control connection, which printers require.
"""

import ftplib
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self, cast

from agent.certificates import CertificatePins, pinning_context
from agent.sockets import BoundedTls, Network, open_socket, open_tls, secure
from machines.drivers import NoAnswer, Rejected, WrongKey

CHUNK = 1 << 16
LOGIN_TIME, ANSWER_TIME, UPLOAD_TIME = 10.0, 10.0, 600.0  # s
ALERT_TIME = 1.0  # s
MAX_LINES = 200  # of all answers of a session


class FtpsSession(ftplib.FTP_TLS):
    """A session with the FTPS server of a printer, to be used as a context manager.

    Raises NotSent, WrongKey, Rejected and NoAnswer.
    """

    def __init__(
        self,
        host: str,
        port: int,
        login: tuple[str, str],
        networks: Sequence[Network] | None,
        pins: CertificatePins,
    ):
        super().__init__(context=pinning_context())
        self._networks, self._lines, self._deadline = networks, 0, time.monotonic() + LOGIN_TIME
        connection = open_tls(host, port, networks, self._deadline, self.context)
        pins.check("ftps", connection)
        self._pins = pins
        self.sock, self.af, self.host = connection, connection.family, host
        self.file = connection.makefile("r", encoding=self.encoding)
        try:
            self.welcome = self.getresp()
            self.login(*login, secure=False)
            self.prot_p()
            self.voidcmd("TYPE I")
        except ftplib.all_errors as error:
            self.close()
            if isinstance(error, ftplib.error_perm) and str(error).startswith("530"):
                raise WrongKey("The printer does not accept the access code.") from error
            raise NoAnswer(f"The FTPS server does not answer: {_line(error)}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def store(self, file: Path, path: str, on_chunk: Callable[[], None]) -> None:
        """Upload a file, and see that it has its size there; call `on_chunk` now and then."""
        self._bound(UPLOAD_TIME)
        try:
            with file.open("rb") as content, self._data_connection(f"STOR {path}") as data:
                while chunk := content.read(CHUNK):
                    data.sendall(chunk)
                    on_chunk()
                _finish(data)
            self.voidresp()
        except ftplib.all_errors as error:
            raise _failure(error) from error
        if (size := self.size_of(path)) != file.stat().st_size:
            raise NoAnswer(f"{size} bytes of {file.stat().st_size} have arrived.")

    def size_of(self, path: str) -> int | None:
        """Return the size of a file in bytes; None if there is none."""
        self._bound(ANSWER_TIME)
        try:
            return self.size(path)
        except ftplib.error_perm as error:
            if str(error).startswith("550"):
                return None
            raise _failure(error) from error
        except ftplib.all_errors as error:
            raise _failure(error) from error
        except ValueError as error:
            raise NoAnswer("The FTPS server answers with no size.") from error

    def remove(self, path: str) -> None:
        """Delete a file, and see that there is none."""
        self._bound(ANSWER_TIME)
        try:
            self.delete(path)
        except ftplib.error_perm:
            pass  # its size says whether there was one
        except ftplib.all_errors as error:
            raise _failure(error) from error
        if self.size_of(path) is not None:
            raise Rejected(f"{path} could not be deleted.")

    def getline(self) -> str:
        """Return a line of an answer: not more of them than MAX_LINES."""
        self._lines += 1
        if self._lines > MAX_LINES:
            raise ftplib.error_proto("too many lines")  # noqa: S321 (TLS)
        return super().getline()

    def _data_connection(self, command: str) -> BoundedTls:
        """Return the connection for a command, at the address of the printer itself."""
        host, port = self.makepasv()  # of an answer to PASV the port alone
        made = open_socket(host, port, self._networks, self._deadline)
        try:
            answer = self.sendcmd(command)
            if not answer.startswith("1"):
                raise ftplib.error_reply(answer)  # noqa: S321 (TLS)
        except ftplib.all_errors:
            made.close()
            raise
        data = secure(made, self.context, session=self._control.session)
        self._pins.check("ftps", data)
        return data

    @property
    def _control(self) -> BoundedTls:
        return cast(BoundedTls, self.sock)

    def _bound(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._control.bound(self._deadline)


def _finish(data: BoundedTls) -> None:
    """End an upload, and wait until the server has closed its side.

    Printers do not answer the closing alert of TLS, so it is not waited for. A connection that is
    closed while bytes of the server are unread, such as tickets of TLS 1.3, is reset: the server
    loses what it has not read yet. Whether all has arrived, its size says.
    """
    with suppress(OSError):
        data.bound(time.monotonic() + ALERT_TIME)
        data.unwrap()
    with suppress(OSError):
        data.bound(time.monotonic() + ANSWER_TIME)
        data.shutdown(socket.SHUT_WR)
        while data.recv(CHUNK):
            pass


def _failure(error: BaseException) -> NoAnswer | Rejected:
    text = f"The FTPS server answers: {_line(error)}"
    return Rejected(text) if isinstance(error, ftplib.error_perm) else NoAnswer(text)


def _line(error: BaseException) -> str:
    return f"{str(error)[:100] or type(error).__name__}."
