"""Pictures of a machine's camera, from places that its host names: the host itself alone."""

import time
from collections.abc import Callable, Sequence
from io import BytesIO
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

from agent.http_client import CHUNK, Answer, HttpClient, require
from agent.mjpeg import first_picture, is_stream
from machines.drivers import NoAnswer, NotSent, Rejected

MAX_READ = 2 << 20  # bytes of a picture of a host
MAX_SENT = 200_000  # bytes that the platform takes
PICTURE_TIME = 5.0  # s
LIST_EVERY = 60.0  # s between two questions for the places of pictures
MAX_PLACES = 5
MAX_PIXELS, SIDE = 4096 * 4096, 1280  # of a picture that is scaled down, and of the result
QUALITIES = (80, 60, 40, 20)
MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")


class Camera:
    """The camera of a machine.

    client : of the machine's host
    places : returns URLs of pictures as the host's settings name them, none without a camera
    """

    def __init__(self, client: HttpClient, places: Callable[[], Sequence[str]]):
        self._client, self._places = client, places
        self._urls: list[str] = []
        self._elsewhere: Rejected | None = None  # a place that is not at the host
        self._list_at = 0.0

    def picture(self) -> bytes | None:
        """Return a JPEG or PNG from the first place that has one; None without a camera.

        Raises NotSent, Rejected, NoAnswer.
        """
        if time.monotonic() >= self._list_at:
            self._list()
        problem: Exception | None = self._elsewhere
        for url in self._urls:
            try:
                picture = fetch(self._client, url)
            except (NotSent, Rejected, NoAnswer) as error:
                problem = problem or error
            else:
                self._urls = [url]
                return picture
        if problem is not None:
            raise problem
        return None

    def _list(self) -> None:
        self._urls, self._elsewhere = [], None
        for place in [place for place in self._places() if place][:MAX_PLACES]:
            try:
                self._urls += own_urls(self._client.address, place)
            except Rejected as error:
                self._elsewhere = error
        self._list_at = time.monotonic() + LIST_EVERY


def own_urls(address: str, place: str) -> list[str]:
    """Return the URLs of a place that a host names: at its own address, without a user.

    A loopback address is the host's own, since the host fetches pictures itself. A path is of the
    server at `address`, or of the web page in front of it, at port 80.

    Raises Rejected for a place elsewhere.
    """
    host = urlsplit(address).hostname or ""
    named = f"[{host}]" if ":" in host else host
    try:
        parts = urlsplit(urljoin(f"{address}/", place))
        port, there = parts.port, parts.hostname or ""
    except ValueError as error:
        raise Rejected(f"The host names a camera at no URL: {place[:200]!r}.") from error
    if parts.scheme not in ("http", "https") or not (there == host or _is_loopback(there)):
        raise Rejected(
            f"The host names a camera at {place[:200]!r}, which is not at its own address: name "
            "the URL of a snapshot at the agent, by `manufacturing-agent camera`."
        )
    rest = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    servers = [f"{parts.scheme}://{named}:{port}" if port else f"{parts.scheme}://{named}"]
    if not urlsplit(place).netloc and port not in (None, 80):
        servers.append(f"http://{named}")
    return [server + rest for server in servers]


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def fetch(client: HttpClient, url: str) -> bytes:
    """Return the picture at a URL, without the key of the client's host.

    Of an MJPEG stream it is the first picture, after which the connection is closed.

    Raises NotSent, NoAnswer, and Rejected where there is no JPEG or PNG, or a redirect.
    """
    parts = urlsplit(url)
    if not url.isascii() or not url.isprintable():
        raise Rejected(f"The URL of the camera has odd letters: {url[:200]!r}.")
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    source = client.beside(f"{parts.scheme}://{parts.netloc}")
    with source.response(path, PICTURE_TIME) as answer:
        require(Answer(answer.status), 200)
        content_type = answer.getheader("Content-Type", "")
        if is_stream(content_type):
            return checked(first_picture(content_type, lambda: answer.read1(CHUNK), MAX_READ))
        picture = bytearray()
        while part := answer.read1(CHUNK):
            picture += part
            if len(picture) > MAX_READ:
                raise Rejected(f"The picture of the camera has more than {MAX_READ} bytes.")
    return checked(bytes(picture))


def checked(picture: bytes) -> bytes:
    """Return a JPEG or PNG. Raises Rejected for anything else."""
    if not picture.startswith(MAGIC):
        raise Rejected("The camera answers with no JPEG or PNG picture, and with no MJPEG stream.")
    return picture


def reduced(picture: bytes) -> bytes:
    """Return a picture of at most MAX_SENT bytes, scaled down by Pillow where it has more.

    Raises Rejected without Pillow, and for a picture that cannot be scaled.
    """
    if len(picture) <= MAX_SENT:
        return picture
    problem = f"The picture of the camera has {len(picture)} bytes, and {MAX_SENT} are taken"
    try:
        from PIL import Image  # an extra of the agent: most cameras send less
    except ImportError:
        raise Rejected(
            f"{problem}: lower its resolution, or install `manufacturing-agent[camera]`."
        ) from None
    try:
        with Image.open(BytesIO(picture), formats=("JPEG", "PNG")) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                raise Rejected(f"{problem}: {opened.width} x {opened.height} pixels are too many.")
            opened.draft("RGB", (SIDE, SIDE))  # a JPEG is decoded at a part of its size
            image = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError, EOFError, IndexError) as error:
        raise Rejected(f"The picture of the camera cannot be read: {error}.") from error
    image.thumbnail((SIDE, SIDE))
    for quality in QUALITIES:
        file = BytesIO()
        image.save(file, "JPEG", quality=quality)
        if file.tell() <= MAX_SENT:
            return file.getvalue()
    raise Rejected(f"{problem}: scaled down it has {file.tell()}.")
