"""File names: safe names, and Content-Disposition (RFC 6266, RFC 8187).

RFC 6266 and RFC 8187: `filename*` carries any letters, percent-encoded, and `filename` an ASCII
form for clients that know nothing else.
"""

import re
from urllib.parse import quote

from core.text.normalization import composed

MAX_BYTES = 200  # of UTF-8; file systems take 255, and copies get longer names
# Control characters, line and paragraph separators, surrogates, marks that reverse what is read,
# and path separators.
FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
SEPARATORS = re.compile(r"[/\\]+")
NOT_PLAIN = re.compile(r"[^A-Za-z0-9._ -]")


def safe_file_name(name: str, extension: str = "", *, otherwise: str = "file") -> str:
    """Return a name under which a file can be saved anywhere.

    name      : any text
    extension : without its point; it is added, however long the name is
    otherwise : what the file is called where nothing is left of the name
    """
    text = SEPARATORS.sub("-", FORBIDDEN.sub("", composed(name)))
    ending = f".{extension}" if extension else ""
    if not ending:
        stem, point, last = text.rpartition(".")
        if stem and 0 < len(last) <= 10:
            text, ending = stem, point + last
    room = MAX_BYTES - len(ending.encode())
    text = text.encode()[:room].decode(errors="ignore").strip(" .")
    if not text.strip("-"):
        text = otherwise
    return text + ending.rstrip(" .")


def content_disposition(name: str) -> str:
    """Return the value of a Content-Disposition that saves a file under this name."""
    name = safe_file_name(name, otherwise="download")
    plain, encoded = NOT_PLAIN.sub("_", name), quote(name, safe="")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"
