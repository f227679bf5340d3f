"""Extremes of every number and date that an API takes, alone and all at once.

The inputs are those of the OpenAPI documents, so that a new one is tried as well. Each extreme is
sent; what is accepted is read, listed and worked on. Then all resources get the largest, or the
smallest, of what they accept, and with these an order is estimated, priced and offered, and every
list and page is read.
"""

import json
import re
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from django.db import transaction

from tests.console.visitor import PASSWORD, Browser
from tests.flows.document import Document
from tests.flows.numeric_inputs import NumericInput, inputs_of, with_value
from tests.flows.test_documents import Shop, _filled, documents, shop  # noqa: F401  fixtures

pytestmark = [pytest.mark.slow, pytest.mark.engine, pytest.mark.gl]

SERVER_ERROR = 500


class Operation(NamedTuple):
    """A request that takes numbers: whose, where to, and a body that is accepted."""

    host: str
    method: str
    path: str
    body: dict[str, Any]
    inputs: list[NumericInput]
    token: str = ""


class Trial:
    """A shop that is sent requests which must not fail; what failed is collected."""

    def __init__(self, shop: Shop, run_jobs: Callable[[], list[str]]):  # noqa: F811
        self.shop, self.run_jobs = shop, run_jobs
        self.faults: list[str] = []
        self.statuses: Counter[int] = Counter()

    def send(
        self, host: str, method: str, path: str, body: Any = None, *, token: str = ""
    ) -> tuple[int, Any]:
        """Send a request; its status, and its answer or None where it failed."""
        operated = host in ("payment", "sales") or "/audit-" in path
        by = self.shop.operator if operated else self.shop.owner
        login = {"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {"user": by}
        client = self.shop.client_of(host, **login)
        sent = "" if body is None else json.dumps(body)
        label = f"{method} {host} {path} {sent[:300]}"
        answer = self.guarded(
            label, lambda: client.generic(method.upper(), path, sent, "application/json")
        )
        status = SERVER_ERROR if answer is None else answer.status_code
        self.statuses[status] += 1
        return status, answer

    def read(self, host: str, path: str) -> dict[str, Any]:
        """The answer to a GET of what is there."""
        status, answer = self.send(host, "get", path)
        if status not in (200, 405):  # not every collection is listed
            self.faults.append(f"GET {host} {path}: {status}")
        return answer.json() if status == 200 else {}

    def work(self, after: str) -> None:
        """Run the jobs that wait."""
        self.guarded(f"jobs after {after}", self.run_jobs)

    def guarded(self, label: str, do: Callable[[], Any]) -> Any:
        """What it gives; None where it raises, which is a fault."""
        try:
            with transaction.atomic():
                return do()
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [f"{each.filename}:{each.lineno}" for each in frames if ".venv" not in each[0]]
            self.faults.append(f"{label}\n    {type(error).__name__}: {error!s:.300} {own[-2:]}")
            return None


@pytest.fixture
def trial(shop, run_jobs) -> Trial:  # noqa: F811
    return Trial(shop, run_jobs)


def resource_paths(trial: Trial, documents: dict[str, Document]) -> dict[str, list[str]]:  # noqa: F811
    """The paths of the resources that are there, by host."""
    paths: dict[str, list[str]] = {host: [] for host in documents}
    shop = trial.shop  # noqa: F811
    bodies = [one.told for one in shop.answers if isinstance(one.told, dict)]
    for host, document in documents.items():
        lists = {path for path, verbs in document.content["paths"].items() if "get" in verbs}
        for path in lists if host != "data" else ():
            if f"{path}{{uuid}}/" in lists and "{" not in path:
                status, answer = trial.send(host, "get", path)
                bodies += [answer.json()] if status == 200 else []
    for body in bodies:
        for row in body.get("resources", [body]):
            uri = row.get("uri") if isinstance(row, dict) else None
            if isinstance(uri, str) and (parts := re.match(r"http://(\w+)\.[^/]+(/.*)", uri)):
                paths[parts[1]] += [parts[2]] if parts[2] not in paths[parts[1]] else []
    return paths


def operations(
    trial: Trial,
    documents: dict[str, Document],  # noqa: F811
    paths: dict[str, list[str]],
) -> Iterator[Operation]:
    """Every operation of a document whose body has numbers, for which the shop has a body or row.

    `data` has the operations of the others.
    """
    shop = trial.shop  # noqa: F811
    tokens = [one.told["token"] for one in shop.answers if one.path == "/agent/pair/"]
    for host, document in documents.items():
        for template, methods in document.content["paths"].items() if host != "data" else ():
            for method in methods.keys() & {"post", "put", "patch"}:
                content = methods[method].get("requestBody", {}).get("content", {})
                schema = content.get("application/json", {}).get("schema", {})
                if not (inputs := list(inputs_of(document.content, schema))):
                    continue
                sent = [
                    one
                    for one in shop.answers
                    if (one.host, one.method) == (host, method)
                    and one.status < 300
                    and document.template(one.path.partition("?")[0]) == template
                ]
                device = methods[method].get("security") == [{"deviceToken": []}]
                token = tokens[-1] if device else ""
                partial = method == "put" and not template.endswith("/document/")
                if partial or not sent:
                    of_kind = list(_filled(template, paths[host]))
                    there = [path for path in of_kind if trial.send(host, "get", path)[0] == 200]
                    for path in there[:2] or of_kind[:1]:
                        yield Operation(host, method, path, {}, inputs, token)
                else:
                    best = max(sent, key=lambda one: len(one.sent or {}))
                    yield Operation(host, method, best.path, best.sent or {}, inputs, token)


def try_input(trial: Trial, operation: Operation, one: NumericInput) -> list[Any]:
    """Send the extremes of an input; those that are accepted."""
    host, method, path, body, _, token = operation
    accepted = []
    for value in one.extremes:
        mark = transaction.savepoint()
        changed = with_value(body, one.place, value)
        status, answer = trial.send(host, method, path, changed, token=token)
        if status < 300:
            accepted.append(value)
            uri = answer.headers.get("Location", "" if token else path)
            trial.work(f"{method} {host} {path} {one.place} {value}")
            if uri and not uri.endswith("/document/"):
                trial.read(host, uri)
                trial.read(host, re.sub(r"[^/]+/$", "", re.sub(r"^http://[^/]+", "", uri)))
        transaction.savepoint_rollback(mark)
    return accepted


def test_extremes_of_every_input_fail_no_request(trial, shop, documents):  # noqa: F811
    paths = resource_paths(trial, documents)
    tried: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    accepted: dict[tuple[str, str, tuple[str | int, ...]], list[Any]] = {}
    for operation in operations(trial, documents, paths):
        host, method, path, _, inputs, _ = operation
        for one in inputs:
            before = trial.statuses.copy()
            values = try_input(trial, operation, one)
            tried[host, method, ".".join(map(str, one.place))] |= (trial.statuses - before).keys()
            if values and method == "put" and not path.endswith("/document/"):
                accepted[host, path, one.place] = values
    assert "\n".join(trial.faults) == ""
    assert len(tried) > 100
    # An input whose request is refused for another reason was not tried.
    assert [key for key, statuses in tried.items() if statuses <= {401, 403, 404, 405}] == []

    for choose in (max, min):
        mark = transaction.savepoint()
        for (host, path, place), values in accepted.items():
            value = choose(values, key=lambda each: (isinstance(each, str), each))
            if place == ("since",):
                value = min(values)  # lists and taxes that never hold price nothing
            trial.send(host, "put", path, with_value({}, place, value))
        trial.work("all of them")
        read_everything(trial, documents, paths)
        transaction.savepoint_rollback(mark)
    assert "\n".join(trial.faults) == ""


def read_everything(
    trial: Trial,
    documents: dict[str, Document],  # noqa: F811
    paths: dict[str, list[str]],
) -> None:
    """Order the shop's parts, and read every list, resource and page."""
    made = order_all(trial)
    for host, document in documents.items():
        for template, methods in document.content["paths"].items():
            operation = methods.get("get")
            if operation and operation.get("security") != [{"deviceToken": []}]:
                query = urlencode(trial.shop.queries.get(template, {}))
                for path in list(_filled(template, [*made, *paths[host]]))[:3]:
                    trial.send(host, "get", f"{path}?{query}" if query else path)
    browser = Browser()
    assert browser.send("/sign-in/", username="ada", password=PASSWORD).status_code == 303
    pages = ["/order/", "/model/", "/bureau/", "/failed/", *made]
    pages += [path for host in ("models", "slicing", "erp") for path in paths[host]]
    pages += [f"{path}prices/" for path in paths["erp"] if path.startswith("/bureau/")]
    for path in pages:
        answer = trial.guarded(f"page {path}", lambda path=path: browser.get(path))
        if answer is not None and answer.status_code >= SERVER_ERROR:
            trial.faults.append(f"page {path}: {answer.status_code}")


def test_extremes_of_every_query_argument_fail_no_request(trial, shop, documents):  # noqa: F811
    paths = resource_paths(trial, documents)
    for host, document in documents.items():
        for template, methods in document.content["paths"].items():
            operation = methods.get("get", {})
            if operation.get("security") == [{"deviceToken": []}] or template == "/events/":
                continue
            arguments = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
            for argument in arguments:
                for one in inputs_of(document.content, argument["schema"]):
                    for path in list(_filled(template, paths[host]))[:1]:
                        usual = shop.queries.get(template, {})
                        for value in one.extremes:
                            query = urlencode({**usual, argument["name"]: value})
                            trial.send(host, "get", f"{path}?{query}")

    assert "\n".join(trial.faults) == ""
    assert trial.statuses.total() > 1000


def order_all(trial: Trial) -> list[str]:
    """Have the shop's parts estimated, offered and priced; the paths of what came of it."""

    def first(kind: str, count: int = 1) -> list[str]:
        return [row["uri"] for row in trial.read("erp", f"/{kind}/")["resources"][:count]]

    def make(kind: str, **body: Any) -> str:
        status, answer = trial.send("erp", "post", f"/{kind}/", body)
        trial.work(f"POST /{kind}/ {body}")
        return answer.headers.get("Location", "") if status == 201 else ""

    (bureau,), (workflow,), (customer,) = first("bureau"), first("workflow"), first("customer")
    materials, finishes = first("material", 3), first("post-processor-type")
    listed = trial.read("models", "/model/?filter[status]=processed")["resources"]
    models = [row["uri"] for row in listed][:2]
    order = make("order", bureau=bureau, name="Extremes", customer=customer)
    items = [
        make(
            "line-item", bureau=bureau, order=order, quantity=quantity, workflow=workflow,
            model=models[0], materials={"base": materials[0]},
        )
        for quantity in (1, 10_000)
    ]  # fmt: skip
    for item in items:
        assert trial.read("erp", item)["status"] in ("pending", "error"), "\n".join(trial.faults)
    quote = make("quote", order=order)
    table = make(
        "price-table", bureau=bureau, models=models, materials=materials, quantities=[1, 10_000],
        finishes=[[], finishes], due=[None, "2030-01-01", "9999-12-31"],
    )  # fmt: skip
    assert table
    trial.send("erp", "put", order, {"status": "cancelled"})
    made = [order, *items, quote, table]
    return [re.sub(r"^http://[^/]+", "", uri) for uri in made if uri]
