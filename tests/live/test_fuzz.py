"""Generated calls of every operation of a host, checked against the host's own document.

How many, and of which seed: FUZZ_CALLS=10000 FUZZ_SEED=7; `make fuzz-api` makes many.
"""

import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks as openapi

from tests.live.processes import Platform, browser

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.long]

# Of each host.
CALLS, SEED = int(os.environ.get("FUZZ_CALLS", "300")), int(os.environ.get("FUZZ_SEED", "1"))
HOSTS = (
    "users",
    "models",
    "slicing",
    "integrations",
    "payment",
    "erp",
    "callbacks",
    "search",
    "data",
)
# Every check of a single answer. A value of the right form may be refused for what it means, such
# as a URI that names nothing, so `positive_data_acceptance` would find what is no fault.
CHECKS = [
    not_a_server_error,
    openapi.status_code_conformance,
    openapi.content_type_conformance,
    openapi.response_headers_conformance,
    openapi.response_schema_conformance,
    openapi.negative_data_rejection,
    openapi.missing_required_header,
    openapi.unsupported_method,
    openapi.allow_header_conformance,
]
# A stream of events does not end.
ENDLESS = ("/events/",)
SHARE_OF_KNOWN = 0.75  # of the generated keys and URIs, that are replaced by those of what is there
PASSWORD = "correct horse battery staple"


@dataclass
class Found:
    """What came of a host's calls: how many, with which statuses, and one example a fault."""

    host: str
    calls: int = 0
    statuses: Counter = field(default_factory=Counter)
    faults: dict[tuple[str, str], str] = field(default_factory=dict)
    seconds: float = 0.0

    def __str__(self) -> str:
        statuses = ", ".join(f"{status}: {n}" for status, n in sorted(self.statuses.items()))
        lines = [f"{self.host}: {self.calls} calls in {self.seconds:.0f} s ({statuses})"]
        return "\n".join([*lines, *(f"  {words}" for words in self.faults.values())])


class Known:
    """URIs of what is there, by kind: the first word of their path."""

    def __init__(self, chance: random.Random):
        self.chance = chance
        self.uris: dict[str, list[str]] = {}

    def learn(self, response: requests.Response) -> None:
        try:
            told = response.json()
        except ValueError:
            return
        rows = told.get("resources", [told]) if isinstance(told, dict) else []
        for row in rows[:20]:
            uri = row.get("uri") if isinstance(row, dict) else None
            # Whoever calls, and with what, must stay.
            if isinstance(uri, str) and not re.search("/(users|api_tokens|sessions)/", uri):
                own = self.uris.setdefault(uri.split("/")[3], [])
                own.append(uri)
                del own[:-50]

    def put_into(self, case: Any) -> None:
        """Name what is there instead of what was made up, in most cases."""
        if self.chance.random() > SHARE_OF_KNOWN:
            return
        kind = case.operation.path.split("/")[1]
        for name in case.path_parameters or {}:
            if name in ("uuid", "model") and (found := self.uris.get(kind)):
                case.path_parameters[name] = self.chance.choice(found).split("/")[4]
        if isinstance(case.body, dict):
            for name, value in case.body.items():
                found = self.uris.get(name.removesuffix("_uri").replace("_", "-"))
                if isinstance(value, str) and found:
                    case.body[name] = self.chance.choice(found)


def sign_in(platform: Platform) -> tuple[str, str]:
    """The API token of a new administrator, and its secret."""
    session, name = browser(), f"fuzz-{uuid4()}"
    account = {"username": name, "name": name, "email": f"{name}@example.com", "password": PASSWORD}
    session.post(platform.url("users/users/"), json=account).raise_for_status()
    platform.ask("UPDATE users_user SET is_staff = true WHERE username = %s RETURNING 1", name)
    login = {"username": name, "password": PASSWORD}
    session.post(platform.url("users/sessions/"), json=login).raise_for_status()
    made = session.post(platform.url("users/api_tokens/"), json={"name": "fuzz"})
    made.raise_for_status()
    return made.json()["uuid"], made.json()["secret"]


def fuzz(platform: Platform, host: str, *, calls: int, number: int, auth: tuple[str, str]) -> Found:
    """At least so many calls of a host's operations; `number` is the seed of what is generated."""
    session = browser()
    session.auth = auth
    document = session.get(platform.url(f"{host}/openapi.json")).json()
    schema = schemathesis.openapi.from_dict(document)
    operations = [
        result.ok() for result in schema.get_all_operations() if result.ok().path not in ENDLESS
    ]
    found, known, began = Found(host), Known(random.Random(number)), time.monotonic()
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    turn = 0
    while found.calls < calls:
        each = max(1, (calls - found.calls) // (len(modes) * len(operations)))
        for at, operation in enumerate(operations):
            for mode in modes:
                number_of_turn = hash((number, turn, at, mode is modes[0]))
                _call(found, known, session, platform, operation, mode, each, number_of_turn)
        turn += 1
    found.seconds = time.monotonic() - began
    return found


def _call(
    found: Found,
    known: Known,
    session: requests.Session,
    platform: Platform,
    operation: Any,
    mode: GenerationMode,
    calls: int,
    number: int,
) -> None:
    where = f"{operation.method.upper()} {operation.path}"

    @seed(number)
    @settings(
        max_examples=calls,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        if mode is GenerationMode.POSITIVE:
            known.put_into(case)
        response = case.call(base_url=platform.url(found.host), session=session, timeout=30)
        found.calls += 1
        found.statuses[response.status_code] += 1
        known.learn(response)
        try:
            case.validate_response(response, checks=CHECKS)
        except FailureGroup as group:
            for failure in group.exceptions:
                fault = (where, type(failure).__name__)
                told = f"{where} {response.status_code}: {failure.title}: {failure.message[:600]}"
                sent = f"{case.path_parameters} {case.query} {case.headers} {case.body!r:.300}"
                found.faults.setdefault(fault, f"{told}\n    {sent}\n    {response.text[:300]}")

    try:
        call()
    except Unsatisfiable:
        pass  # nothing can be wrong with a request that has nothing


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    """A platform of its own: an administrator's calls take away what other tests need."""
    running = Platform()
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def auth(platform: Platform) -> tuple[str, str]:
    return sign_in(platform)


@pytest.mark.parametrize("host", HOSTS)
def test_generated_api_calls_match_the_openapi_document(platform, auth, host):
    found = fuzz(platform, host, calls=CALLS, number=SEED, auth=auth)

    print(found, flush=True)
    assert found.calls >= CALLS
    assert found.faults == {}, str(found)
