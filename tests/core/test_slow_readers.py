"""Responses whose client reads slowly, or not at all."""

import asyncio

import pytest

from core.web import slow_readers
from core.web.slow_readers import PIECE, ClientStalled, paced


def test_large_body_is_sent_in_pieces():
    sent = []

    async def send(message):
        sent.append(message)

    async def respond():
        out = paced(send)
        await out({"type": "http.response.start", "status": 200, "headers": []})
        await out({"type": "http.response.body", "body": bytes(2 * PIECE + 5)})

    asyncio.run(respond())

    bodies = [(len(m["body"]), m.get("more_body", False)) for m in sent[1:]]
    assert bodies == [(PIECE, True), (PIECE, True), (5, False)]


def test_response_ends_when_its_client_stops_reading(monkeypatch):
    monkeypatch.setattr(slow_readers, "STALL", 0.01)

    async def send(message):
        await asyncio.Event().wait()

    with pytest.raises(ClientStalled):
        asyncio.run(paced(send)({"type": "http.response.body", "body": b"x"}))
