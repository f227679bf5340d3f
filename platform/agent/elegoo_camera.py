"""Camera of an Elegoo printer: an MJPEG stream that SDCP switches on and off.

Not tried with a printer yet: it follows the published protocol (command 386), and what others have
published of the Centauri Carbon, which names its stream without a scheme.
"""

from collections.abc import Sequence
from contextlib import suppress

from agent.camera import fetch, own_urls
from agent.http_client import HttpClient
from agent.sdcp import CommandRejected, SdcpLink
from agent.sockets import Network
from machines.drivers import NoAnswer, NotSent, Rejected

VIDEO = 386  # command
PORT, PATH = 3031, "/video"  # of the stream, where an answer names none
_REASONS = {
    1: "The printer sends its video to no further program: close another one that shows it.",
    2: "The printer reports that it has no camera: check whether it is connected.",
}


class ElegooCamera:
    """The camera of a printer, whose video is on from the first picture until `release`.

    link : connection to the printer; port: of the stream
    """

    def __init__(self, host: str, link: SdcpLink, networks: Sequence[Network] | None, port: int):
        self._host, self._link, self._networks, self._port = host, link, networks, port
        self._url = ""  # of the stream, while it is on

    def picture(self) -> bytes:
        """Return the first picture of the stream. Raises NotSent, NoAnswer and Rejected."""
        if not self._url:
            self._url = self._switch_on()
        try:
            return fetch(HttpClient(_address(self._host), {}, self._networks), self._url)
        except (NotSent, NoAnswer, Rejected):
            self._url = ""  # the printer may have switched it off: it is switched on again
            raise

    def release(self) -> None:
        """Switch the video off, if it is on, and close the connection."""
        try:
            if self._link.is_open:
                with suppress(NotSent, NoAnswer, Rejected):
                    self._link.ask(VIDEO, Enable=0)
        finally:
            self._url = ""
            self._link.close()

    def _switch_on(self) -> str:
        """Return the URL of the stream, which is at the printer's own address."""
        try:
            named = self._link.ask(VIDEO, Enable=1).get("VideoUrl")
        except CommandRejected as error:
            if error.code in _REASONS:
                raise Rejected(_REASONS[error.code]) from error
            raise
        if not isinstance(named, str) or not named.strip():
            named = f"{_address(self._host)}:{self._port}{PATH}"
        place = named.strip() if "://" in named else f"http://{named.strip()}"
        if place.lower().startswith("rtsp:"):
            raise Rejected("The video of the printer is an RTSP stream, which is not supported.")
        try:
            return own_urls(_address(self._host), place)[0]
        except Rejected:  # the printer was added by its name, and names its IP address
            return own_urls(_address(self._link.peer), place)[0]


def _address(host: str) -> str:
    return f"http://[{host}]" if ":" in host else f"http://{host}"
