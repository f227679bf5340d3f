"""A large file in pieces through a proxy that takes only smaller ones: cut, killed, and whole.

PIECES_FILE (MB) asks for a larger file: the proxy takes a third of it at a time.
"""

import hashlib
import os
import random
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import numpy as np
import pytest
import requests

from tests.live.client import OCTETS
from tests.live.processes import alive, kill
from tests.live.test_proxies import Front, behind, certificate, in_front
from tests.live.test_tus_uploads import PIECE, TUS
from tests.waiting import wait_for

__all__ = ["behind", "certificate"]  # fixtures, for this module's own

SIZE = int(os.environ.get("PIECES_FILE", "30")) * 1_000_000
MAX_SPEED = SIZE // 3_000_000  # MB that the proxy takes at once
CUTS = 10
BLOCK = 1 << 16

pytestmark = [pytest.mark.live, pytest.mark.single("it has a proxy of its own")]


@pytest.fixture(scope="module")
def narrow(behind, certificate, tmp_path_factory) -> Iterator[Front]:  # noqa: F811  the fixtures
    """nginx as it stands in docs/proxy, but with a bound on what is uploaded."""
    bound = ("client_max_body_size 0;", f"client_max_body_size {MAX_SPEED}m;")
    with in_front("nginx.conf", behind, certificate, tmp_path_factory, bound) as running:
        yield running


def test_file_larger_than_the_proxy_limit_is_uploaded_in_chunks(narrow: Front):
    """Ten connections end at random bytes, one of them by a kill -9 of the web process."""
    chance = random.Random(12)
    data = np.random.default_rng(12).bytes(SIZE)
    client = narrow.client()
    made = client.ask("POST", "models/model/", 201, json={"name": "large", "type": "pdf"})
    location = made.headers["X-Upload-Location"]
    assert refused_as_one(narrow, location, data)
    cuts, killing = sorted(chance.sample(range(SIZE), CUTS)), chance.randrange(CUTS)
    kept = []

    for number, cut in enumerate(cuts):
        web = narrow.platform.program("project.asgi:application") if number == killing else []
        with suppress(OSError):  # the proxy ends what the web process does not answer
            send(narrow, location, data, offset_of(narrow, location), cut, web)
        kept.append(offset_of(narrow, location))
        assert kept[-1] <= cut
    assert kept == sorted(kept) and kept[-1] > 0
    while (offset := offset_of(narrow, location)) < SIZE:
        piece = data[offset : offset + MAX_SPEED * 500_000]
        about = {**PIECE, "Upload-Offset": str(offset), "Upload-Length": str(SIZE)}
        answer = client.session.patch(location, data=piece, headers=about, timeout=300)
        assert answer.status_code in (204, 423), answer.text

    model = client.read(made.headers["Location"])
    came = hashlib.sha256()
    with client.session.get(model["content"], stream=True, timeout=300, auth=nobody) as answer:
        for block in answer.iter_content(1 << 20):
            came.update(block)
    assert model["file_size"] == SIZE
    assert came.hexdigest() == hashlib.sha256(data).hexdigest()


def nobody(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """A location is enough."""
    return request


def refused_as_one(front: Front, location: str, data: bytes) -> bool:
    """Whether the proxy refuses the whole file at once, by its size alone."""
    with front.session() as session:
        try:
            answer = session.put(location, data=data, headers=OCTETS, timeout=60)
        except requests.ConnectionError:  # it does not read what it refuses
            return True
        return answer.status_code == 413


def send(front: Front, location: str, data: bytes, offset: int, cut: int, web: list) -> None:
    """One piece up to the byte `cut`, where the line ends; or after `web` was killed before."""
    parts = urlsplit(location)
    end = min(offset + MAX_SPEED * 1_000_000, SIZE)
    cut = min(cut, end - 1)
    lines = (
        f"PATCH {parts.path}?{parts.query} HTTP/1.1",
        f"Host: {parts.netloc}",
        *(f"{name}: {value}" for name, value in PIECE.items()),
        f"Upload-Offset: {offset}",
        f"Upload-Length: {SIZE}",
        f"Content-Length: {end - offset}",
    )
    context = ssl.create_default_context(cafile=str(front.certificate))
    with (
        socket.create_connection(("127.0.0.1", front.port), timeout=60) as plain,
        context.wrap_socket(plain, server_hostname=parts.hostname) as connection,
    ):
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        middle = (offset + cut) // 2 if web else cut
        for at in range(offset, middle, BLOCK):
            connection.sendall(data[at : min(at + BLOCK, middle)])
        if not web:
            return
        wait_for(lambda: any(name.startswith("pieces-") for name in front.platform.incoming))
        kill(web[0])
        wait_for(lambda: not any(map(alive, web)))
        for at in range(middle, cut, BLOCK):
            connection.sendall(data[at : min(at + BLOCK, cut)])


def offset_of(front: Front, location: str) -> int:
    """How many bytes have come, once nobody is at work on them."""
    seen: list[int] = []

    def settled() -> bool:
        with front.session() as session:
            answer = session.head(location, headers=TUS, timeout=60)
        if answer.status_code == 200:
            seen.append(int(answer.headers["Upload-Offset"]))
        time.sleep(0.2)
        return len(seen) > 1 and seen[-1] == seen[-2]

    wait_for(settled)
    return seen[-1]
