"""Multipart form with one file, streamed."""

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from agent.http_client import CHUNK


class MultipartForm:
    """A form for one request.

    file   : its content becomes the part `file`, under `name`
    fields : text parts before it
    """

    def __init__(self, file: Path, name: str, fields: Mapping[str, str] | None = None):
        self._file, boundary = file, secrets.token_hex(16)
        texts = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
            for key, value in (fields or {}).items()
        )
        self._head = (
            f'{texts}--{boundary}\r\nContent-Disposition: form-data; name="file"; '
            f'filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        ).encode()
        self._tail = f"\r\n--{boundary}--\r\n".encode()
        size = len(self._head) + file.stat().st_size + len(self._tail)
        self.headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(size),
        }

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        with self._file.open("rb") as content:
            while chunk := content.read(CHUNK):
                yield chunk
        yield self._tail
