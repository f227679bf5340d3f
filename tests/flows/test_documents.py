"""Every host's OpenAPI document, compared with what that host answers in a shop full of things."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.conf import settings

from apps.erp.models import LineItem
from apps.slicing.domain.installed_engines import prusaslicer
from core.files.pending_uploads import complete_upload
from core.files.signed_urls import UploadGrant
from tests.conftest import HostClient
from tests.erp.conftest import key_of
from tests.flows.document import Document
from tests.flows.examples import Asked, difference, examples_of, keep, kept
from tests.flows.preset_data import use_presets
from tests.flows.sales_data import buy_as_guest, knock, pair_an_agent, sell, tell_again, use_console

pytestmark = [pytest.mark.slow, pytest.mark.engine, pytest.mark.gl]
HOSTS = (*settings.SERVICES, "data")
HOOK = {"url": "http://127.0.0.1:9999/hook", "method": "POST"}
# What only Stripe sends, and only an agent as its machine begins.
BY_OTHERS = ("POST /stripe-webhook/", "POST /stripe/{uuid}/", "POST /agent/permit/")
GCODE = (
    b"; made by hand\nG28\nG1 Z0.2 F600\nG1 X10 Y10 E1 F1200\nG1 X20 Y10 E2\nG1 Z0.4\nG1 X10 E3\n"
)


class Shop:
    """Clients of all hosts, what they made, and all that they were answered.

    answers : each request and its answer
    """

    def __init__(self, client_of, owner, operator):
        self.answers: list[Asked] = []
        self.owner, self.operator, self.client_of = owner, operator, client_of
        self.known: list[str] = []  # paths that no list has
        self.queries: dict[str, dict[str, str]] = {}  # what a path must be asked with

    def ask(
        self,
        method: str,
        host: str,
        path: str,
        body: Any = None,
        *,
        by: Any = None,
        token: str = "",
    ) -> Any:
        known = {"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {"user": by or self.owner}
        client: HostClient = self.client_of(host, **known)
        answer = client.generic(
            method, path, "" if body is None else json.dumps(body), "application/json"
        )
        self.note(host, method, path, body, answer)
        return answer

    def note(self, host: str, method: str, path: str, sent: Any, answer: Any) -> None:
        """Keep what was asked and answered."""
        told = answer.json() if answer.get("Content-Type") == "application/json" else None
        path = re.sub(r"^http://[^/]+", "", path)
        self.answers.append(Asked(host, method.lower(), path, sent, answer.status_code, told))

    def make(self, host: str, path: str, *, by: Any = None, **fields: Any) -> dict[str, Any]:
        answer = self.ask("POST", host, path, fields, by=by)
        assert answer.status_code in (201, 204), (path, answer.json())
        return {"uri": answer["Location"]} if answer.status_code == 204 else answer.json()

    def get(self, host: str, path: str, *, by: Any = None) -> dict[str, Any]:
        answer = self.ask("GET", host, path, by=by)
        assert answer.status_code == 200, (path, answer.content)
        return answer.json()

    def put(self, host: str, path: str, **fields: Any) -> None:
        answer = self.ask("PUT", host, path, fields)
        assert answer.status_code == 204, (path, answer.json())


@pytest.fixture
def documents(client_of) -> dict[str, Document]:
    """Of each host."""
    return {host: Document(host, client_of(host).get("/openapi.json").content) for host in HOSTS}


@pytest.fixture
def shop(made_once, client_of, person, operator, presets_folder, nova, request) -> Shop:
    """Something of every kind, of every host."""
    shop = Shop(client_of, person, operator)
    needed = "stranger upload run_jobs cube open_box answering provider tmp_path".split()
    fixtures = [request.getfixturevalue(name) for name in needed]

    def make() -> dict[str, Any]:
        fill(shop, *fixtures)
        return {name: value for name, value in vars(shop).items() if isinstance(value, list | dict)}

    vars(shop).update(made_once("shop full of things", make))
    return shop


def fill(
    shop: Shop, stranger, upload, run_jobs, cube, open_box, answering, provider, tmp_path
) -> None:
    """Make something of every kind, of every host."""
    client_of, person, operator = shop.client_of, shop.owner, shop.operator
    make, get, put = shop.make, shop.get, shop.put

    # People and rights.
    group = make("users", "/groups/", name="Makers", description="All of us")
    make("users", "/memberships/", group=group["uri"], user=stranger.uri)
    make("users", "/api_tokens/", name="laptop", password="correct horse battery")
    make("users", "/one-time-passwords/", password="correct horse battery")
    use_console(shop, person)
    signed_in = client_of("users").post(
        "/sessions/", {"username": "ada", "password": "correct horse battery"}
    )
    assert signed_in.status_code == 201

    # Money.
    for namespace, action in (("slicing", "slice"), ("erp", "run")):
        make(
            "payment", "/price/", by=operator,
            namespace=namespace, action=action, amount=1.5, currency="EUR",
        )  # fmt: skip
        make(
            "payment", "/consent/",
            namespace=namespace, action=action, consented=True, user_uri=person.uri,
            per_month=100, currency="EUR",
        )  # fmt: skip
    make("payment", "/payment-method/", by=operator, user_uri=person.uri, type="manual")

    # What is told.
    make("callbacks", "/subscription/", **HOOK, events=["*"])
    sink = make("callbacks", "/callback-sink/")
    client_of("callbacks").post(sink["url"], {"status": "processed"})
    make("callbacks", "/webhook-secret/")

    # Models.
    part = make("models", "/model/", name="part", callback=HOOK, unit="mm")
    upload(part, cube)
    broken = make("models", "/model/", name="no part")
    upload(broken, b"solid nothing\nendsolid nothing\n")
    make("models", "/model/", name="drawing", type="pdf")
    run_jobs()
    make(
        "models", f"{part['uri']}transformation/",
        transformations=[
            {"type": "rotate", "parametersRotate": {"x": 90, "y": 0, "z": 0}},
            {"type": "auto-scale", "parametersAutoScale": {"build": {"x": 9, "y": 9, "z": 9}}},
            {"type": "auto-translate"},
        ],
    )  # fmt: skip
    picture = make("models", f"{part['uri']}snapshot/", width=16, height=16, samples=0, layer=0)
    shop.ask("GET", "models", f"{part['uri']}preview/?triangles=500")
    run_jobs()
    tags = {"model": part["uri"], "folder": "Customers/Hansa", "add_tags": ["gearbox"]}
    changed = shop.ask("PUT", "models", "/model/labels/", {"labels": [tags]})
    assert changed.status_code == 200
    newer = make("models", "/model/", name="part B")["uri"]
    make("models", "/model/versions/", model=newer, replaces=part["uri"], note="Wall 3 mm")
    shared = {"holder": group["uri"], "namespace": "models", "object": part["uri"]}
    make("users", "/permissions/", right="read", **shared)

    knock(shop, part["uri"])

    # Slices.
    config = make(
        "slicing", "/config/curated/", engine="slic3r", parameters={"print_quality": "low"}
    )
    make("slicing", "/config/raw/", engine="slic3r", content="perimeters = 3\nnonsense = 1\n")
    rules = {"infill_density": {"max": 90}, "material": {"_in": ["PLA"]}}
    constraint = make("slicing", "/constraint/", name="Not too dense", parameters=rules)
    make("slicing", "/constraint-model/", constraint=constraint["uri"], model_uri=part["uri"])
    order = {"model": part["uri"], "config": config["uri"]}
    shop.ask("POST", "slicing", "/slice/?dry_run=true", order)
    cut = make("slicing", "/slice/", **order, callback=HOOK)
    use_presets(shop)
    get("slicing", "/engine/")
    make("slicing", "/gcode/", name="by hand")
    gcode = make("slicing", "/gcode/", name="by hand")
    (tmp_path / "gcode").write_bytes(GCODE)
    grant = UploadGrant("gcode", UUID(key_of(gcode)), 1 << 20, expires=0)
    complete_upload(grant, tmp_path / "gcode", hashlib.sha256(GCODE).hexdigest(), len(GCODE))
    run_jobs()
    shop.ask("GET", "slicing", f"{gcode['uri']}paths/")
    run_jobs()

    # Shapes.
    make("search", "/indexed-model/", name="part", description="a cube", model_uri=part["uri"])
    twin = make("models", "/model/", name="twin")
    upload(twin, cube)
    run_jobs()
    make("search", "/indexed-model/", name="twin", description="a cube", model_uri=twin["uri"])

    # Operations: one that is done, one that failed, one that was cancelled.
    service = make(
        "integrations", "/service/", by=operator,
        name="Mender", type="model-healing", service_url=provider.url,
        schema={"type": "object"},
    )  # fmt: skip
    asked = {"service": service["uri"], "inputs": {"model": part["uri"]}, "parameters": {}}
    mended = make("integrations", "/operation/", **asked)["uri"]
    run_jobs()
    answers = answering(service)
    answers.upload(open_box)
    done = {"name": "mended.stl", "type": "stl"}
    receipt = {"receipt": {"filled": 1}}
    report = {"status": "complete", "outputs": receipt, "result": done}
    shop.note(
        "integrations", "POST", answers.job["callback"]["url"], report, answers.report(**report)
    )
    run_jobs()
    make("integrations", "/operation/", **asked)
    run_jobs()
    failure = {"title": "It is empty.", "code": "Empty"}
    assert answers.report(status="error", outputs=failure).status_code == 204
    cancelled = make("integrations", "/operation/", **asked, callback=HOOK)
    put("integrations", cancelled["uri"], status="error")

    # Manufacturing.
    bureau = make("erp", "/bureau/", name="Parts & Sons")["uri"]
    hall = make("erp", "/location/", bureau=bureau, name="Hall 1", contact=person.uri)["uri"]
    invitation = make("erp", "/invitation/", bureau=bureau, role="sales", name="Bo")["uri"]
    link = shop.ask("POST", "erp", f"{invitation}link/").json()
    shop.ask("POST", "erp", "/invitation/accept/", {"token": link["token"]})
    make("erp", "/membership-bureau/", bureau=bureau, user=stranger.uri)
    make("erp", "/membership-location/", location=hall, user=stranger.uri)
    make("erp", "/permission-bureau/", bureau=bureau, user=stranger.uri, right="material.all")
    make("erp", "/permission-location/", location=hall, user=stranger.uri, right="stock.all")
    make("erp", "/feature/", by=operator, bureau=bureau, name="premium-packer", enabled=True)
    contact = {"name": "Eve"}
    maker = make("erp", "/manufacturer/", bureau=bureau, name="Maker", contact=contact)["uri"]
    powder = {"cost": 0.4, "density": 1.01, "manufacturer": maker}
    nylon = make("erp", "/material/", bureau=bureau, name="PA 12", **powder)["uri"]
    lot = make("erp", "/stock/", location=hall, material=nylon, quantity=2.5, initial=0.5)["uri"]
    make("erp", "/stock-movement/", stock=lot, kind="correction", left=0.25)
    for kind in ("service-provider", "third-party"):
        make("erp", f"/{kind}/", bureau=bureau, name="Others")
    make("erp", "/currency-conversion/", bureau=bureau, currency="USD", value=1.1)
    laser = make(
        "erp", "/printer-type/",
        bureau=bureau, name="SLS", build_volume={"x": 100, "y": 100, "z": 100},
        config=config["uri"], running_cost_per_hour=12, materials=[nylon],
    )["uri"]  # fmt: skip
    printer = make("erp", "/printer/", location=hall, printer_type=laser, name="Number 5")["uri"]
    care = {"name": "Clean the optics", "interval": {"hours": 100, "days": 30}}
    task = make("erp", "/maintenance-task/", bureau=bureau, printer_type=laser, **care)["uri"]
    make("erp", "/maintenance-entry/", printer=printer, task=task, notes="Isopropanol")
    blasting = make("erp", "/post-processor-type/", bureau=bureau, name="Blasting", cost=1)["uri"]
    bench = {"location": hall, "post_processor_type": blasting, "name": "C"}
    cabin = make("erp", "/post-processor/", **bench)["uri"]
    shipping = make("erp", "/shipping/", bureau=bureau, name="By bike", cost=5.9)["uri"]
    workflow = make("erp", "/workflow/", bureau=bureau, name="All")["uri"]
    for at, process in enumerate((laser, blasting, shipping), 1):
        make("erp", "/process-step/", workflow=workflow, step_position=at, process_type=process)
    entry = {"name": "Part", "model": part["uri"], "material": nylon}
    library = make("erp", "/model-library/", bureau=bureau, **entry)["uri"]
    customer, table = sell(shop, bureau, blasting, models=[twin["uri"]], materials=[nylon])
    buy_as_guest(shop, lambda model: upload(model, cube), run_jobs)
    order = make(
        "erp", "/order/", bureau=bureau, name="Gate 7", customer_name="Gates",
        due_date="2030-01-01", customer=customer,
    )["uri"]  # fmt: skip
    product = make("erp", "/product/", order=order, model_library=library)["uri"]
    batch = {"product": product, "quantity": 3, "workflow": workflow}
    item = make("erp", "/line-item/", bureau=bureau, **batch)["uri"]
    bare = {"bureau": bureau, "quantity": 1, "no_model_upload": True}
    make("erp", "/line-item/", **bare, name="No model")
    spare = make(
        "erp", "/line-item/", **bare, name="By hand", manual_price={"net": 12.5, "note": "as told"}
    )["uri"]
    run_jobs()
    put("erp", table, order=order, cells=[0])
    run_jobs()
    assert LineItem.objects.get(pk=key_of({"uri": item})).status == "pending"
    make("erp", "/quote/", order=order)
    put("erp", item, status="confirmed")
    put("erp", spare, status="confirmed")  # its piece stays unscheduled
    *pieces, last = [
        row["uri"] for row in get("erp", f"/piece/?filter[line_item]={item}")["resources"]
    ]
    run = {"printer": printer, "pieces": pieces, "budget": "quick"}
    packed = make("erp", "/create-runs/", **run, run_name="Monday")["uri"]
    get("erp", packed)
    run_jobs()
    put("erp", printer, driver="manual")
    assert shop.ask("POST", "erp", f"{printer}clear/", {}).status_code == 200
    put("erp", packed, status="queued")
    attempt = make("erp", "/attempt/", run=packed)["uri"]
    for status in ("printing", "done"):
        put("erp", attempt, status=status)
    assert shop.ask("POST", "erp", f"{printer}clear/", {}).status_code == 200
    pair_an_agent(shop, printer, run_jobs)
    waiting = make("erp", "/create-runs/", **run | {"pieces": [last]}, run_name="Later")["uri"]
    run_jobs()
    put("erp", waiting, status="queued")
    blast = {"operation": "post-processing", "post_processor": cabin, "pieces": pieces}
    make("erp", "/run/", name="Blast", **blast)
    failed = shop.ask("POST", "erp", "/create-runs/", {**run, "run_name": "Too late"})
    assert failed.status_code == 409
    (charge,) = [row["uri"] for row in get("payment", "/charge/")["resources"]][:1]
    make("payment", "/charge/", by=operator, corrects=charge, amount=0.5)
    tell_again(
        shop,
        [
            part["uri"],
            picture["uri"],
            cut["uri"],
            mended,
            item,
            order,
            *(pieces[0], packed),
            attempt,
            table,
        ],
    )
    shop.queries |= {
        "/similar-models/": {"filter[model]": part["uri"]},
        "/trace/": {"uri": packed},
        "/recall/": {"printer": printer},
        "/bureau/{uuid}/order-summaries/": {"orders": order},
        "/bureau/{uuid}/customer-summaries/": {"customers": customer},
        "/printer-type/{uuid}/capacity/": {"model": part["uri"]},
        "/permissions/who-can/": {"namespace": "models", "right": "read", "object": part["uri"]},
    }


def walk(shop: Shop, document: Document) -> Iterator[str]:
    """Ask for every list and every page of a host; the lists that have nothing."""
    known: list[str] = list(shop.known)
    reading = [path for path, methods in document.content["paths"].items() if "get" in methods]
    for template in sorted(reading, key=lambda path: path.count("{")):
        if document.content["paths"][template]["get"].get("security") == [{"deviceToken": []}]:
            continue  # for agents, which have asked
        query = urlencode(shop.queries.get(template, {}))
        by = shop.operator if template.startswith(("/aud", "/visit", "/customer-a")) else shop.owner
        paths, found = list(_filled(template, known)), []
        for path in paths:
            answer = shop.ask("GET", document.host, f"{path}?{query}" if query else path, by=by)
            if answer.get("Content-Type") == "application/json":
                found += answer.json().get("resources", [answer.json()])
        known += [re.sub(r"^http://[^/]+", "", row["uri"]) for row in found if "uri" in row]
        told = document.content["paths"][template]["get"]["responses"]["200"]["content"]
        if not paths or ("application/json" in told and not found):
            yield f"{document.host} {template}: nothing of this was seen"


def _filled(template: str, known: list[str]) -> Iterator[str]:
    """The paths of this form, of all that is known."""
    if "{" not in template:
        yield template
        return
    whole, _, rest = template.rpartition("}/")
    form = re.compile(re.sub(r"\{\w+\}?", "[^/]+", whole) + "/")
    yield from sorted({path + rest for path in known if form.fullmatch(path)})


def test_every_response_matches_its_openapi_document(shop, documents):
    unseen = [words for document in documents.values() for words in walk(shop, document)]
    faults = dict.fromkeys(
        words
        for host, method, path, _, status, body in shop.answers
        for words in documents[host].faults(method, path, status, body)
    )

    assert len(shop.answers) > 300
    assert "\n".join(faults) == ""
    assert "\n".join(unseen) == ""
    # Another version of the engine gives other figures: then it is enough that there are examples.
    slice_ = kept("slicing")["GET /slice/{uuid}/"]["answer"]
    recorded_here = slice_["engine_version"] == prusaslicer().version()
    missing, changed = [], []
    for host in settings.SERVICES:
        asked = (
            (documents[host].template(one.path.partition("?")[0]) or "", one)
            for one in shop.answers
            if one.host == host
        )
        examples = json.loads(json.dumps(examples_of(host, asked)))
        if os.environ.get("EXAMPLES"):
            keep(host, examples)
        before = kept(host)
        changed += [
            "\n".join([name, *difference(before.get(name), examples[name])])
            for name in examples
            if name not in before or (recorded_here and examples[name] != before[name])
        ]
        paths = documents[host].content["paths"].items()
        making = [f"POST {path}" for path, verbs in paths if "post" in verbs]
        missing += [name for name in making if name not in examples]
    assert not changed, "make examples: " + "\n".join(changed)
    assert sorted(missing) == sorted(BY_OTHERS)
