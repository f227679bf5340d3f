"""Text of model files as bytes of UTF-8, whatever encoding and padding a program wrote."""

from geometry.formats.reader_checks import unreadable

UTF_8_MARK = b"\xef\xbb\xbf"
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
PADDING = b"\0\x1a"  # zeros of a block, and the end of a file of DOS


def plain_text(data: bytes, format: str) -> bytes:
    """Return the text in UTF-8, without byte order mark and what pads its end.

    Raises InputError: unreadable.
    """
    encoding = None
    if data.startswith(UTF_16_MARKS):
        encoding = "utf-16"
    elif len(data) >= 4 and data[0] and data[2] and not (data[1] or data[3]):
        encoding = "utf-16-le"
    elif len(data) >= 4 and data[1] and data[3] and not (data[0] or data[2]):
        encoding = "utf-16-be"
    if encoding:
        try:
            data = data[: len(data) // 2 * 2].decode(encoding).encode()
        except UnicodeError as error:
            raise unreadable(format, "it is text in UTF-16 that is damaged") from error
    return data.removeprefix(UTF_8_MARK).rstrip(PADDING)
