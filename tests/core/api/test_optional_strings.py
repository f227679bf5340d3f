"""Optional strings of every service: null and "" are taken alike, and told as null.

Which they are is read from the services' own documents, so that a new field is looked at as well.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any

import orjson
import pytest
from django.conf import settings

from apps.erp.base.models.messages import MessageMoment
from apps.erp.orders.models.documents import DocumentSeries
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.payments import BankAccount
from apps.erp.orders.models.print_reports import PrintReport, ProcessLimits
from apps.users.models import User
from apps.warehouse.models import Model
from tests.users.conftest import PASSWORD

# What needs a provider, an agent, a finished piece, a packed run, an engine, a list of prices or
# one of two optional strings;
# its fields are of the same classes.
ELSEWHERE = {
    "/attempt/",
    "/agent/exchange/",
    "/agent/engine-job/{uuid}/",
    "/operation/{uuid}/report/",
    "/sessions/",
    "/run/",
    "/shipment/",
    "/create-runs/",
    "/create-gcode-run/",
    "/document/",
    "/maintenance-entry/",
    "/model/versions/",
    "/config/bundle/",
    "/config/preset/",
    "/preset/{uuid}/gcode-translation/",
    "/printer-gcode/",
    "/price-table/",
    "/visit/{uuid}/price-table/",
    "/visit/{uuid}/order/",
    "/customer-account/{uuid}/approvals/{key}/decision/",
    "/bureau/{uuid}/message-preview/",
    "/bureau/{uuid}/message-test/",
    "/bureau/{uuid}/customer-import/",
}
# Objects that are given with what they need, or not at all.
WHOLE = {"manual_price"}
NUMBERS = count()


class Filled:
    """Clients of every host, and a shop in which every kind can be made."""

    def __init__(self, client_of, person: User, operator: User):
        self.hosts = {host: client_of(host, person) for host in settings.SERVICES}
        self.operators = {host: client_of(host, operator) for host in settings.SERVICES}
        self.person = person

    def make(self, host: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        by_operators = path in ("/service/", "/price/", "/feature/")
        client = (self.operators if by_operators else self.hosts)[host]
        made = client.post(path, body)
        assert made.status_code == 201, (path, body, made.json())
        return made.json()

    def read(self, uri: str) -> dict[str, Any]:
        host = uri.split("/")[2].partition(".")[0]
        found = self.hosts[host].get(uri)
        return (found if found.status_code == 200 else self.operators[host].get(uri)).json()

    def erp(self, kind: str, **body: Any) -> str:
        return self.make("erp", f"/{kind}/", body)["uri"]

    def shop(self) -> dict[str, str]:
        bureau = {"bureau": self.erp("bureau", name="Parts")}
        volume = {"x": 1, "y": 1, "z": 1}
        return bureau | {
            "printer_type": self.erp("printer-type", **bureau, name="SLS", build_volume=volume),
            "material": self.erp("material", **bureau, name="PA 12"),
            "workflow": self.erp("workflow", **bureau, name="All of it"),
        }


@pytest.fixture
def filled(client_of, person, operator) -> Filled:
    return Filled(client_of, person, operator)


def least(filled: Filled, host: str) -> dict[str, dict[str, Any]]:
    """The least that each kind of a host with an optional string needs, by its path."""
    model = Model.objects.create(
        owner=filled.person, name="part", status="processed", analyses={"triangles": 12}
    )
    if host == "erp":
        shop = filled.shop()
        own = {"bureau": shop["bureau"]}
        library = filled.erp("model-library", **own, name="x", model=model.uri)
        order = filled.erp("order", **own, name="x")
        location = filled.erp("location", **own, name="Hall 1")
        typed = {"printer_type": shop["printer_type"]}
        plain = ("location", "manufacturer", "material", "order", "post-processor-type")
        bodies = {kind: {**own, "name": "x"} for kind in (*plain, "shipping", "service-provider")}
        bodies |= {
            "bureau": {"name": "x"},
            "feature": {**own, "name": "x"},
            "line-item": {**own, "quantity": 1, "no_model_upload": True},
            "model-library": {**own, "name": "x", "model": model.uri},
            "printer-type": {**own, "name": "x", "build_volume": {"x": 1, "y": 1, "z": 1}},
            "printer": {"location": location, **typed, "name": "x"},
            "maintenance-task": {**own, **typed, "name": "x", "interval": {"jobs": 1}},
            "process-step": {"workflow": shop["workflow"], "process_type": shop["printer_type"]},
            "product": {**own, "order": order, "model_library": library},
            "stock": {"location": location, "material": shop["material"]},
            "stock-movement": {
                "stock": filled.erp("stock", location=location, material=shop["material"]),
                "kind": "receipt",
                "amount": 1,
            },
            "third-party": {**own, "name": "x"},
            "slicer-key": {**own, "name": "x"},
            "invitation": {**own, "role": "sales"},
            "customer": {**own, "name": "x"},
            "customer-group": {**own, "name": "x"},
            "customer-company": {**own, "name": "x"},
            "company-member": {
                "company": filled.erp("customer-company", **own, name="y"),
                "email": "x@example.com",
            },
            "price-list": {**own, "name": "x"},
            "price-term": {
                "price_list": filled.erp("price-list", **own, name="y"),
                "name": "x",
                "step": "order",
                "amount": 5,
            },
            "storefront": {
                **own,
                "slug": "parts",
                "price_list": filled.erp("price-list", **own, name="z"),
            },
            "bank-account": {
                **own,
                "account_holder": "x",
                "iban": "DE89370400440532013000",
            },
            "document-series": {**own, "type": "invoice"},
            "order-payment": {"order": order, "amount": 5},
            "process-limits": {**own, "process": "fdm"},
            "print-decision": {
                "print_report": report_of(order, model.uri, filled.person).uri,
                "decision": "ask",
                "name": "x",
            },
            "tax-rule": {**own, "name": "x", "category": "S", "rate": 19},
            "message-template": {**own, "moment": "received", "language": "en"},
        }
        return {f"/{kind}/": body for kind, body in bodies.items()}
    config = {"engine": "slic3r"}
    rules = {"infill_density": {"min": 10}}
    own = {"name": "x", "email": "x@example.com", "password": PASSWORD}
    used = {"namespace": "slicing"}
    return {
        "users": {"/users/": own, "/groups/": {}, "/api_tokens/": {"password": PASSWORD}},
        "models": {"/model/": {"name": "x"}, "/model/{model}/snapshot/": {"model": model.pk}},
        "slicing": {
            "/config/curated/": config,
            "/config/raw/": {**config, "content": "layer_height = 0.2"},
            "/constraint/": {"name": "x", "parameters": rules},
            "/gcode/": {},
        },
        "callbacks": {"/subscription/": {"url": "https://shop.example/hook", "events": ["*"]}},
        "payment": {
            "/price/": {**used, "amount": 1, "currency": "EUR"},
            "/consent/": {**used, "consented": True, "user_uri": filled.person.uri},
        },
        "integrations": {
            "/service/": {"name": "x", "type": "healing", "service_url": "https://example.com/"}
        },
    }.get(host, {})


def report_of(order: str, model: str, person: Any) -> PrintReport:
    """A report of a line item of an order: what makes it is not requested by clients."""
    row = Order.objects.get(pk=Order.keys_of(order)[0])
    item = LineItem.objects.create(
        bureau=row.bureau, order=row, model_uri=model, status="pending", creator=person
    )
    return PrintReport.objects.create(
        bureau=row.bureau,
        order=row,
        line_item=item,
        model_uri=model,
        status="processed",
        limits={"decision_from": None},
        creator=person,
    )


def unique(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The body of another one: where two may not be alike, with another name."""
    number = f"n{next(NUMBERS)}"
    another = {
        "/users/": "username",
        "/price/": "action",
        "/consent/": "action",
        "/feature/": "name",
        "/storefront/": "slug",
        "/service/": "name",
        "/process-step/": "step_position",
        "/message-template/": "moment",
    }
    one_each = {
        "/bank-account/": BankAccount,
        "/document-series/": DocumentSeries,
        "/process-limits/": ProcessLimits,
    }
    if path in one_each:  # one for each bureau
        one_each[path].objects.all().delete()
    if path == "/company-member/":
        return {**body, "email": f"{number}@example.com"}
    if path not in another:
        return body
    if path == "/message-template/":
        return {**body, "moment": MessageMoment.values[next(NUMBERS) % len(MessageMoment)]}
    return {**body, another[path]: next(NUMBERS) + 1 if path == "/process-step/" else number}


# ---------------------------------------------------------------- what the documents say


def schemas(document: dict, schema: dict) -> Iterator[dict]:
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    yield schema
    for word in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(word, ()):
            yield from schemas(document, inner)


def optional_strings(document: dict, schema: dict) -> dict[str, Any]:
    """name -> None for each string that may be null, or a dictionary of those inside."""
    found: dict[str, Any] = {}
    for whole in schemas(document, schema):
        for name, told in whole.get("properties", {}).items():
            parts = list(schemas(document, told))
            words = orjson.dumps([part.get("type", part.get("enum")) for part in parts]).decode()
            formats = {part.get("format") for part in parts}
            if told.get("readOnly") or told.get("writeOnly") or name in WHOLE:
                continue
            if '"object"' in words:
                found |= {name: inner} if (inner := optional_strings(document, told)) else {}
            elif '"string"' in words and "null" in words and name not in whole.get("required", ()):
                found |= {} if formats & {"date", "date-time", "decimal"} else {name: None}
    return found


def filled_with(names: dict[str, Any], value: Any) -> dict[str, Any]:
    return {
        name: filled_with(inner, value) if isinstance(inner, dict) else value
        for name, inner in names.items()
    }


def told_of(names: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    return {
        name: told_of(inner, answer[name]) if isinstance(inner, dict) else answer[name]
        for name, inner in names.items()
    }


@pytest.mark.parametrize("host", settings.SERVICES)
def test_optional_string_is_null_when_omitted_null_or_empty(filled, client_of, host):
    document = orjson.loads(client_of(host).get("/openapi.json").content)
    bodies = least(filled, host)
    looked_at = set()

    for path, operations in document["paths"].items():
        content = operations.get("post", {}).get("requestBody", {}).get("content", {})
        if "application/json" not in content or path in ELSEWHERE:
            continue
        names = optional_strings(document, content["application/json"]["schema"])
        if not names:
            continue
        looked_at.add(path)
        body = dict(bodies[path])
        url = path.replace("{model}", str(body.pop("model"))) if "{model}" in path else path

        left_out = filled.make(host, url, unique(path, body))
        null = filled.make(host, url, unique(path, {**body, **filled_with(names, None)}))
        blank = filled.make(host, url, unique(path, {**body, **filled_with(names, "")}))

        expected = told_of(names, left_out)
        assert '""' not in orjson.dumps(expected).decode(), path
        assert [told_of(names, answer) for answer in (null, blank)] == [expected] * 2, path
        assert told_of(names, filled.read(blank["uri"])) == expected, path

    assert looked_at == set(bodies)
