"""What clients did, line by line, and whether what the platform says afterwards agrees with it.

Each client writes a line before a call and one after it. One without the second was cut off: what
it asked for may be there or not. All that was answered well must be there, once, and nothing else.
"""

import hashlib
import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import requests

from tests.live.client import OCTETS, Client
from tests.live.processes import browser

FAILED = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)
# 409: the first request with this key is still at work; 429: so many jobs wait already.
AGAIN = (409, 429, 503)
PAUSE = 0.2  # seconds
INSISTENCE = 240.0  # seconds for which a client repeats one request
GONE, THERE = 404, 200


@dataclass
class Call:
    """One call; what was answered is empty where nothing was."""

    verb: str
    url: str
    who: str
    key: str = ""
    name: str = ""
    sent: str = ""
    status: int = 0
    location: str = ""
    got: str = ""
    says: str = ""
    after: str = ""  # Retry-After

    @property
    def is_done(self) -> bool:
        return 200 <= self.status < 300


class History:
    """The lines of all clients of one trial, in a file."""

    def __init__(self, path: Path):
        self._file = path.open("a+")
        self._lock, self._numbers = threading.Lock(), count()

    def ask(
        self, session: requests.Session, who: str, verb: str, url: str, **options: Any
    ) -> requests.Response | None:
        """One request; None where it was not answered. `name` and `key` go into the record."""
        number = next(self._numbers)
        body = options.get("data") or b""
        sent = hashlib.sha256(body).hexdigest() if body else ""
        said = {"verb": verb, "url": url, "who": who, "sent": sent}
        said |= {name: options.pop(name, "") for name in ("key", "name")}
        self._write(call=number, **said)
        if said["key"]:
            options.setdefault("headers", {})["Idempotency-Key"] = said["key"]
        try:
            answer = session.request(verb, url, timeout=10, **options)
        except FAILED:
            return None
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        resource = answer.json() if is_json and verb == "GET" and answer.ok else {}
        self._write(
            call=number,
            status=answer.status_code,
            location=answer.headers.get("Location", ""),
            got=hashlib.sha256(answer.content).hexdigest(),
            says=resource.get("status", ""),
            after=answer.headers.get("Retry-After", ""),
        )
        return answer

    def calls(self) -> list[Call]:
        """All calls, in the order in which they began."""
        with self._lock:
            self._file.flush()
            self._file.seek(0)
            lines = [json.loads(line) for line in self._file]
        joined: dict[int, dict[str, Any]] = defaultdict(dict)
        for line in lines:
            line.pop("at")
            joined[line.pop("call")] |= line
        return [Call(**said) for _, said in sorted(joined.items())]

    def close(self) -> None:
        self._file.close()

    def _write(self, **said: Any) -> None:
        with self._lock:
            self._file.write(json.dumps({"at": time.time(), **said}) + "\n")


class Customer:
    """Somebody with an account who insists on each request until it is answered.

    stranger : reads what is not theirs now and then
    hook     : where the platform tells of changes
    """

    def __init__(
        self, history: History, client: Client, hook: str, make: Callable[[], bytes], label: str
    ):
        self._history, self._client, self._hook = history, client, hook
        self._make, self._label = make, label
        self._session = browser()
        self._session.auth = client.session.auth
        self._seen: list[str] = []

    def order(self) -> str:
        """A model with its file; its URI."""
        name = f"{self._label} {uuid4()}"
        wish = {"name": name, "callback": {"url": self._hook, "method": "POST"}}
        where = self._client.platform.url("models/model/")
        made = self.insist("POST", where, 201, key=str(uuid4()), name=name, json=wish)
        data = self._make()
        place, uri = made.headers["X-Upload-Location"], made.headers["Location"]
        self.insist("PUT", place, 204, name=name, data=data, headers=dict(OCTETS))
        return uri

    def press_on(self, over: threading.Event, stranger: requests.Session) -> None:
        """Order, look, read and delete, until it is over."""
        for number in count():
            uri = self.order()
            self._seen.append(uri)
            for recent in self._seen[-3:]:
                row = self._ask("GET", recent)
                if row is not None and row.ok and row.json()["status"] == "processed":
                    self._ask("GET", row.json()["content"], name=row.json()["name"])
            if number % 4 == 3:
                self._history.ask(stranger, "stranger", "GET", uri)
                self.insist("DELETE", self._seen.pop(0), 204, GONE)
            if over.wait(PAUSE):
                return

    def insist(self, verb: str, url: str, *wanted: int, **options: Any) -> requests.Response:
        """A request, repeated until it is answered; only outages are no answer."""
        end = time.monotonic() + INSISTENCE
        while time.monotonic() < end:
            answer = self._ask(verb, url, **dict(options))
            if answer is not None and answer.status_code in wanted:
                return answer
            if answer is not None:
                assert answer.status_code in AGAIN, f"{verb} {url}: {answer.text}"
            time.sleep(PAUSE)
        raise AssertionError(f"{verb} {url} was never answered.")

    def _ask(self, verb: str, url: str, **options: Any) -> requests.Response | None:
        return self._history.ask(self._session, "owner", verb, url, **options)


def faults(history: History, client: Client, label: str) -> Iterator[str]:
    """A sentence for each contradiction between the calls and what the platform has now."""
    calls = history.calls()
    yield from _in_answers(calls)
    there = {row["name"]: row for row in _models(client, label)}
    wanted = {call.name for call in calls if call.verb == "POST"}
    for name in there.keys() - wanted:
        yield f"Nobody asked for {name}."
    made = {c.name: c.location for c in calls if c.verb == "POST" and c.is_done}
    asked = {call.url for call in calls if call.verb == "DELETE"}
    gone = {c.url for c in calls if c.verb == "DELETE" and (c.is_done or c.status == GONE)}
    brought = {call.name: call.sent for call in calls if call.verb == "PUT" and call.is_done}
    for name, uri in made.items():
        row = there.get(name)
        if row is None:
            if uri not in asked:
                yield f"{name} was made, as {uri}, and is not there."
        elif uri in gone:
            yield f"{uri} was deleted, and is there."
        elif row["uri"] != uri:
            yield f"{name} is {row['uri']}, and {uri} was answered."
        elif name in brought and row["status"] != "processed":
            yield f"{uri} was brought, and is {row['status']}."
        elif name in brought:
            content = client.session.get(row["content"], timeout=60).content
            if hashlib.sha256(content).hexdigest() != brought[name]:
                yield f"{uri} has other bytes than were brought."


def _in_answers(calls: list[Call]) -> Iterator[str]:
    """What contradicts itself in the answers alone."""
    by_key, seen = defaultdict(set), defaultdict(list)
    brought = {call.name: call.sent for call in calls if call.verb == "PUT"}
    for call in calls:
        if call.status >= 500 and call.status != 503:
            yield f"{call.verb} {call.url} was answered {call.status}."
        if call.status == 503 and not call.after:
            yield f"{call.verb} {call.url} was answered 503 without Retry-After."
        if call.who == "stranger" and call.is_done:
            yield f"A stranger read {call.url}."
        if call.verb == "POST" and call.is_done:
            by_key[call.key].add(call.location)
        if call.verb == "GET" and call.says and call.who == "owner":
            seen[call.url].append(call.says)
        if call.verb == "GET" and call.name and call.is_done and call.got != brought[call.name]:
            yield f"{call.name} was read with other bytes than were brought."
    for key, made in by_key.items():
        if len(made) > 1:
            yield f"The key {key} made {len(made)}."
    for uri, states in seen.items():
        if set(states) - {"processing", "processed"}:
            yield f"{uri} was {Counter(states)}."
        if "processed" in states and "processing" in states[states.index("processed") :]:
            yield f"{uri} went back from processed."


def _models(client: Client, label: str) -> Iterator[dict[str, Any]]:
    """All models of the account whose names begin so."""
    url: str | None = "models/model/?page[limit]=1000"
    while url:
        page = client.ask("GET", url, 200).json()
        yield from (row for row in page["resources"] if row["name"].startswith(f"{label} "))
        url = page["links"]["next"]
