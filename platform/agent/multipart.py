"""Multipart form with one file, streamed."""

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from agent.http_client import CHUNK


class MultipartForm:
    """A form for one request.

    file   : its content, or bytes, become the part `field`, under `name`
    fields : text parts before it
    """

    def __init__(
        self,
        file: Path | bytes,
        name: str,
        fields: Mapping[str, str] | None = None,
        field: str = "file",
    ):
        self._file, boundary = file, secrets.token_hex(16)
        texts = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
            for key, value in (fields or {}).items()
        )
        self._head = (
            f'{texts}--{boundary}\r\nContent-Disposition: form-data; name="{field}"; '
            f'filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        ).encode()
        self._tail = f"\r\n--{boundary}--\r\n".encode()
        size = len(self._head) + len(self._tail)
        size += len(file) if isinstance(file, bytes) else file.stat().st_size
        self.headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(size),
        }

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        if isinstance(self._file, bytes):
            yield self._file
        else:
            with self._file.open("rb") as content:
                while chunk := content.read(CHUNK):
                    yield chunk
        yield self._tail
