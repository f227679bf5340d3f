"""What a bureau sells by, and what its agent asks, in a shop full of things."""

import base64
import functools
import io
import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core import mail
from django.core.management import call_command
from django.test import override_settings
from PIL import Image

from apps.callbacks.models import Delivery
from apps.erp.models import Document, Message, Piece, ReceivedFile, SlicerKey
from apps.users.services.notifications import notify
from tests.stripe_server import KEY, SECRET, StripeServer


def pair_an_agent(shop: Any, printer: str, run_jobs: Callable[[], object]) -> None:
    """An agent of the printer's location, which asks all that agents can ask."""
    location = shop.get("erp", printer)["location"]
    agent = shop.make("erp", "/agent/", location=location, name="Hall 1")
    code = shop.ask("POST", "erp", f"{agent['uri']}code/").json()["code"]
    paired = shop.ask("POST", "erp", "/agent/pair/", {"code": code}).json()
    ask = functools.partial(shop.ask, host="erp", token=paired["token"])
    shop.put("erp", printer, driver="octoprint", agent=agent["uri"])
    sight = {"printer": printer, "state": "idle", "progress": 0.5}
    ask("POST", path="/agent/exchange/", body={"machines": [sight], "reports": []})
    assert shop.get("erp", printer)["machine"]["state"] == "idle"
    host = {
        "driver": "octoprint",
        "host": "OctoPrint 1.11.8",
        "name": "Left printer",
        "address": "http://192.168.1.20",
        "discovered_by": "mdns",
        "ago": 20,
    }
    ask("POST", path="/agent/exchange/", body={"machines": [sight], "hosts": [host]})
    shop.ask("POST", "erp", f"{agent['uri']}search/", {"addresses": "192.168.1.0/24"})
    connection = {"address": host["address"], "key": "4D6C1F0B"}
    shop.ask("POST", "erp", f"{printer}test-connection/", connection)
    test, search = map(
        ask("POST", path="/agent/exchange/", body={"machines": [sight]}).json().get,
        ("tests", "search"),
    )
    step = {"step": "kind", "result": "passed", "text": "OctoPrint 1.11.8", "problem": None}
    steps = [{"step": "reach", "result": "passed"}, {"step": "key", "result": "passed"}, step]
    reports = {
        "tests": [{"id": test[0]["id"], "state": "running", "steps": steps}],
        "searches": [{"id": search["id"], "state": "done"}],
    }
    ask("POST", path="/agent/exchange/", body={"machines": [sight], "hosts": [host], **reports})
    shop.ask("POST", "erp", f"{printer}watch/")
    details = {"layer": 23, "layers": 360, "seconds_left": 6480, "speed": 1, "has_filament": True}
    ask("POST", path="/agent/exchange/", body={"machines": [sight | {"details": details}]})
    camera = f"/agent/camera/{printer.rstrip('/').rpartition('/')[2]}/"
    seen = {"content": base64.b64encode(_picture()).decode(), "ago": 0.4}
    (attempt,) = shop.get("erp", f"/attempt/?filter[printer]={printer}")["resources"]
    moment = {"attempt": attempt["name"], "status": "done"}
    other = {"content": base64.b64encode(_picture("navy")).decode(), "status": "paused"}
    for more in ({}, moment, {**moment, **other}):
        assert ask("PUT", path=camera, body={**seen, **more}).status_code == 200
    made = shop.ask("POST", "erp", f"{attempt['uri']}make-timelapse/")
    assert made.status_code == 202, made.json()
    ask("GET", path="/agent/bell/")
    ask("GET", path="/agent/content/none.gcode/")
    ask("POST", path="/agent/permit/", body={"name": "none.gcode"})
    ask("POST", path="/agent/spools/", body={"spools": [{"id": 7, "left": 412.5}]})
    slice_in_shop(shop, ask, sight | {"details": details}, run_jobs)
    print_gcode(shop, printer)


def slice_in_shop(
    shop: Any, ask: Callable[..., Any], sight: dict[str, Any], run_jobs: Callable[[], object]
) -> None:
    """A slicer of the agent gets a slice, which the engine of the platform makes in the end."""
    (first, *_others) = shop.get("slicing", "/slice/?filter[status]=processed")["resources"]
    engine = {"program": "prusaslicer", "version": "2.9.2", "isolation": "bubblewrap"}
    ask("POST", path="/agent/exchange/", body={"machines": [sight], "engines": [engine]})
    (row,) = shop.get("slicing", "/engine/?filter[in_shop]=true")["resources"]
    shop.get("slicing", row["uri"])
    made = shop.ask("POST", "slicing", f"{first['config']}engine/", {"engine": row["uri"]})
    assert made.status_code == 201, made.json()
    config = made.json()["uri"]
    shop.make("slicing", "/slice/", model=first["model"], config=config)
    run_jobs()
    taken = ask("POST", path="/agent/take-engine-job/", body={"programs": ["prusaslicer"]})
    path = f"/agent/engine-job/{taken.json()['job']['id']}/"
    report = {"state": "running", "progress": 0.4, "stage": "Infilling layers", "seconds": 3.5}
    assert ask("POST", path=path, body=report).json() == {"wanted": True}
    ask("POST", path=path, body={"state": "failed", "reason": "not-started"})
    run_jobs()


def _picture(color: str = "teal") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (16, 12), color).save(file, "JPEG")
    return file.getvalue()


def use_console(shop: Any, person: Any) -> None:
    """A saved view, and two notifications, of which one is read."""
    late = {"name": "Late", "page": "/order/", "query": "sort=-due_date"}
    shop.make("users", "/saved-views/", **late)
    for at in (1, 2):
        order = f"http://erp.platform.test/order/01a1ff30-0000-7000-8000-00000000000{at}/"
        data = {"number": 11 + at, "customer": "Gates"}
        notify(recipients=[person.pk], kind="order-review", subject=order, data=data)
    first, _ = shop.get("users", "/notifications/?sort=updated")["resources"]
    shop.put("users", first["uri"], read=first["updated"])
    shop.get("users", first["uri"])
    shop.get("users", "/notifications/unread/")
    until = {"until": first["updated"]}
    assert shop.ask("POST", "users", "/notifications/mark-as-read/", until).status_code == 200


def sell(shop: Any, bureau: str, finish: str, **parts: list[str]) -> tuple[str, str]:
    """A bureau that sells by a list: a customer, and a table of prices for them."""
    make = functools.partial(shop.make, "erp", bureau=bureau)
    calendar = make("/working-calendar/", name="Ours", holidays=["2030-01-01"])["uri"]
    make("/tax-rule/", name="Full", category="S", country="DE", rate=19, since="2020-01-01")
    retail = make(
        "/price-list/", name="Retail", country="DE", is_default=True, calendar=calendar,
        sell_estimates=True,
    )["uri"]  # fmt: skip
    group = make("/customer-group/", name="Shops", price_list=retail)["uri"]
    customer = make("/customer/", name="Gates", country="DE", group=group)["uri"]
    company = make("/customer-company/", name="Gates GmbH", approval_limit=0.01)["uri"]
    for name in ("joost", "chef"):
        role = "approver" if name == "chef" else "buyer"
        person = {"company": company, "email": f"{name}@example.com", "role": role}
        shop.get("erp", make("/company-member/", **person)["uri"])
    shop.get("erp", company)
    make(
        "/storefront/", slug="gates", price_list=retail, materials=parts["materials"],
        enabled=True, review="always", review_above=500, post_processor_types=[finish],
        support_strategies=["on", "off"], infill_strategies=["15%", "40%"],
        layer_thicknesses=[0.1, 0.2],
    )  # fmt: skip
    steps = (
        {"step": "piece", "unit": "cc", "amount": 0.4, "sentence": {"de": "Material"}},
        {"step": "break", "by": "pieces", "breaks": [{"from": 10, "factor": 0.9}]},
        {"step": "finish", "amount": 1.2, "post_processor_types": [finish], "countries": ["DE"]},
        {"step": "order", "amount": 5.9},
    )
    for term in steps:
        shop.ask("POST", "erp", "/price-term/", {"price_list": retail, "name": "A", **term})
    shop.put("erp", f"{retail}document/", **shop.get("erp", f"{retail}document/"))
    table = {"quantities": [1, 10], "finishes": [[finish]], "due": [None, "2020-01-01"]}
    return customer, make("/price-table/", customer=customer, **table, **parts)["uri"]


def buy_as_guest(
    shop: Any, upload: Callable[[Any], object], run_jobs: Callable[[], object]
) -> None:
    """A visitor of the storefront uploads a part and orders it."""
    visit = shop.make("sales", "/visit/", storefront="gates")
    pair = base64.b64encode(f"{visit['token']}:{visit['secret']}".encode()).decode()
    guest = shop.client_of("models", HTTP_AUTHORIZATION=f"Basic {pair}")
    part = guest.post("/model/", {"name": "Gear", "type": "stl"}).json()
    upload(part)
    run_jobs()
    make = functools.partial(shop.make, "sales", by=shop.operator)
    table = make(
        f"{visit['uri']}price-table/", models=[part["uri"]], quantities=[1, 5], finishes=[[]]
    )["uri"]
    cart = {"cart": [{"price_table": table, "cell": 1}]}
    answer = shop.ask("PUT", "sales", visit["uri"], cart, by=shop.operator)
    assert answer.status_code == 204, answer.json()
    limits = {"wall_risk": 99, "decision_from": "risk"}  # all walls are to decide about
    shop.make("erp", "/process-limits/", bureau=visit["bureau"], process="fdm", **limits)
    address = {"street": "Havenstraat 22", "postcode": "3011", "city": "Bremen", "country": "DE"}
    buyer = {"name": "Joost", "email": "joost@example.com", "address": address}
    buyer["needed_by"] = "2100-01-31"
    make(f"{visit['uri']}order/", **buyer)
    run_jobs()
    order = shop.get("erp", "/order/?sort=-created")["resources"][0]["uri"]
    shop.make("erp", "/quote/", order=order)
    link = shop.make("erp", "/share-link/", order=order)["uri"]
    token = shop.ask("POST", "erp", f"{link}link/").json()["token"]
    bureau = shop.get("erp", order)["bureau"]
    holder = {"account_holder": "Parts & Sons", "iban": "DE89370400440532013000"}
    shop.make("erp", "/bank-account/", bureau=bureau, **holder)
    decide(shop, order, token)
    accepted = shop.ask("POST", "sales", f"/shared-order/{token}/accept/", {"name": "Joost"})
    assert accepted.status_code == 204, accepted.json()
    approve(shop, run_jobs)
    pay_by_card(shop, bureau, token)
    payment = shop.make("erp", "/order-payment/", order=order, amount=5)["uri"]
    shop.get("erp", payment)
    make(f"{visit['uri']}reorder/", token=token)
    table = re.sub("^http://[^/]+", "", table)
    issue_documents(shop, order, bureau)
    ship_order(shop, order)
    confirm_by_mail(shop, order)
    session = use_account(shop, run_jobs)
    pair_of = {name: session[name] for name in ("token", "secret")}
    answer = shop.ask("POST", "sales", f"{visit['uri']}sign-in/", pair_of, by=shop.operator)
    assert answer.status_code == 204, answer.json()
    shop.known += [f"/shared-order/{token}/", "/store/gates/", table]


def approve(shop: Any, run_jobs: Callable[[], object]) -> None:
    """The approver of the customer's company approves the order."""
    account = use_account(shop, run_jobs, "chef@example.com")["account"]["uri"]
    path = f"{account}approvals/"
    (request,) = shop.ask("GET", "sales", path, by=shop.operator).json()["approvals"]
    decision = {"decision": "approved", "note": "Go ahead"}
    path = f"{path}{request['uuid']}/decision/"
    decided = shop.ask("POST", "sales", path, decision, by=shop.operator)
    assert decided.status_code == 204, decided.json()
    (step, _) = shop.get("erp", "/order-approval/?sort=-created")["resources"]
    shop.get("erp", step["uri"])


def use_account(
    shop: Any, run_jobs: Callable[[], object], email: str = "joost@example.com"
) -> dict[str, Any]:
    """The customer signs in by a mailed link and by a password; returns the session."""
    ask = functools.partial(shop.ask, "POST", "sales")
    address = {"storefront": "gates", "email": email}
    mail.outbox.clear()
    assert ask("/customer-account/sign-in-link/", address).status_code == 202
    run_jobs()
    (token,) = re.findall("/account/link/([^/]+)/", str(mail.outbox[-1].body))
    session = ask("/customer-account/sign-in-by-link/", {"token": token})
    assert session.status_code == 201, session.json()
    uri, password = session.json()["account"]["uri"], "correct horse battery"
    home = {"street": "Havenstraat 22", "postcode": "3011", "city": "Bremen", "country": "DE"}
    body = {"name": "Joost", "vat_number": "DE136695976", "delivery_address": home}
    changed = shop.ask("PUT", "sales", uri, body | {"password": password}, by=shop.operator)
    assert changed.status_code == 204, changed.json()
    signed_in = ask("/customer-account/sign-in/", address | {"password": password})
    assert signed_in.status_code == 201, signed_in.json()
    assert ask(f"{uri}sign-out/", by=shop.operator).status_code == 204
    return signed_in.json()


def decide(shop: Any, order: str, token: str) -> None:
    """The customer has a question about a part with findings, and then accepts it by phone."""
    report = shop.get("erp", f"/print-report/?filter[order]={order}")["resources"][0]["uri"]
    shop.get("erp", report)
    body = {"report": report.split("/")[-2], "decision": "ask", "name": "Joost"}
    shop.ask("GET", "erp", f"{order}print-reports/")
    shop.ask("GET", "sales", f"/shared-order/{token}/print-reports/")
    path = f"/shared-order/{token}/print-decision/"
    assert shop.ask("POST", "sales", path, body | {"text": "Is it stiff?"}).status_code == 201
    made = {"print_report": report, "decision": "as-is", "name": "Joost", "text": "By phone"}
    shop.get("erp", shop.make("erp", "/print-decision/", **made)["uri"])
    limits = shop.get("erp", "/process-limits/")["resources"][0]["uri"]
    shop.get("erp", limits)
    shop.put("erp", limits, decision_from=None)  # other orders go on


def pay_by_card(shop: Any, bureau: str, token: str) -> None:
    """The shop takes cards, and its customer begins to pay."""
    # Its own page is not visited: the address in the examples is that of Stripe.
    server = StripeServer(page_origin=settings.STRIPE_CHECKOUT).start()
    try:
        with override_settings(STRIPE_API=server.url):
            secrets = {"secret_key": KEY, "webhook_secret": SECRET}
            account = shop.make("erp", "/card-account/", bureau=bureau, enabled=True, **secrets)
            assert shop.ask("POST", "erp", f"{account['uri']}test/").json()["works"]
            begun = shop.ask("POST", "sales", f"/shared-order/{token}/card-payment/")
            assert begun.status_code == 201, begun.json()
            shop.ask("POST", "sales", f"/shared-order/{token}/card-payment/refresh/")
    finally:
        server.stop()


def issue_documents(shop: Any, order: str, bureau: str) -> None:
    """The shop sets the numbers of its invoices, and issues one."""
    shop.put("erp", bureau, address="Hafenstr. 1", vat_number="DE136695976")
    series = {"type": "invoice", "prefix": "RE-", "next": 264}
    shop.get("erp", shop.make("erp", "/document-series/", bureau=bureau, **series)["uri"])
    document = shop.make("erp", "/document/", order=order, type="invoice")["uri"]
    Document.objects.all()[0].move(Document.Status.ERROR, errors=[])
    assert shop.ask("POST", "erp", f"{document}retry/").status_code == 204
    shop.get("erp", document)


def print_gcode(shop: Any, printer: str) -> None:
    """A slicer's key, G-code that it sent, and a run that prints it."""
    bureau, printer_type = map(shop.get("erp", printer).get, ("bureau", "printer_type"))
    (row,) = shop.get("slicing", "/gcode/?filter[status]=processed")["resources"]
    gcode = row["uri"]
    key = shop.make("erp", "/slicer-key/", bureau=bureau, name="Office")["uri"]
    shop.put("erp", key, printer_type=printer_type)
    assert shop.ask("POST", "erp", f"{key}secret/").status_code == 201
    made = SlicerKey.objects.select_related("creator").get()
    received = {"name": "bracket.gcode", "status": "waiting", "slicer": "PrusaSlicer/2.9.2"}
    for _ in range(2):
        ReceivedFile.objects.create(
            bureau_id=made.bureau_id,
            creator=made.creator,
            slicer_key=made,
            gcode_uri=gcode,
            **received,
        )
    shop.ask("GET", "erp", f"{bureau}gcode-match/?gcode={gcode}")
    body = {"gcode": gcode, "printer_type": printer_type}
    assert shop.ask("POST", "erp", "/create-gcode-run/", body).status_code == 201
    first, second = shop.get("erp", "/received-file/")["resources"]
    shop.get("erp", first["uri"])
    assert shop.ask("DELETE", "erp", second["uri"]).status_code == 204


def ship_order(shop: Any, order: str) -> None:
    """The shop ships the first piece, with a delivery note, and tells the carrier later."""
    Piece.objects.filter(number=1).update(status=Piece.Status.COMPLETE)
    item = shop.get("erp", order)["fulfilment"][0]["line_item"]
    body = {"order": order, "lines": [{"line_item": item, "quantity": 1}]}
    shipment = shop.make("erp", "/shipment/", **body)["uri"]
    number = "00340434161094042557"
    shop.put("erp", shipment, carrier="DHL", tracking_number=number, status="shipped")
    shop.make("erp", "/document/", order=order, type="delivery-note", shipment=shipment)
    shop.get("erp", shipment)


def confirm_by_mail(shop: Any, order: str) -> None:
    """The texts of messages are changed, tried and sent again."""
    bureau = shop.get("erp", order)["bureau"]
    shop.make("erp", "/staff-notification/", bureau=bureau, moment="quote-accepted")
    address = {"url": "ntfys://push.example.com/workshop", "moments": ["order-review"]}
    channel = shop.make("erp", "/notification-channel/", bureau=bureau, name="Workshop", **address)[
        "uri"
    ]
    assert shop.ask("POST", "erp", f"{channel}test/").status_code == 201
    shop.put("erp", channel, enabled=False)
    body = {"moment": "shipped", "language": "en", "subject": "Order {order} is on its way"}
    shop.make("erp", "/message-template/", bureau=bureau, **body)
    preview = shop.ask("POST", "erp", f"{bureau}message-preview/", body)
    assert preview.json()["subject"] == "Order 1042 is on its way"
    assert shop.ask("POST", "erp", f"{bureau}message-test/", body).status_code == 201
    shop.get("erp", f"{bureau}message-texts/")
    rows = {"customers": [{"name": "Weserbot", "email": "team@weserbot.example"}, {"name": ""}]}
    tried = shop.ask("POST", "erp", f"{bureau}customer-import/?dry_run=true", rows)
    assert tried.status_code == 200
    Message.objects.filter(order__isnull=False).update(status=Message.Status.SENT)
    message = shop.get("erp", "/message/?filter[moment]=confirmed")["resources"][0]["uri"]
    assert shop.ask("POST", "erp", f"{message}send/").status_code == 201


def knock(shop: Any, part: str) -> None:
    """What people ask of the users service as they come, and of rights."""
    ask = functools.partial(shop.ask, "POST", "users", by=shop.operator)
    password = "correct horse battery"
    eve = {"username": "eve", "name": "Eve", "email": "eve@example.com", "password": password}
    assert ask("/users/", eve).status_code == 201
    assert ask("/sessions/", {"username": "eve", "password": password}).status_code == 201
    out = io.StringIO()
    call_command("login_link", "root", stdout=out)
    (token,) = re.findall(r"/sign-in/([\w-]+)/", out.getvalue())
    assert ask("/sessions/by-link/", {"token": token}).status_code == 201
    assert ask("/password-resets/", {"email": eve["email"]}).status_code < 300
    question = {"namespace": "models", "right": "read", "object": part}
    assert ask("/permissions/check/", question).status_code == 200


def tell_again(shop: Any, resources: list[str]) -> None:
    """Have an event of each resource told once more: nobody was there to hear it."""
    Delivery.objects.update(state=Delivery.State.EXPIRED)
    kinds = ("order-payment", "print-report", "print-decision", "document", "shipment")
    rows = [shop.get("erp", f"/{kind}/")["resources"][0]["uri"] for kind in kinds]
    for uri in [*resources, *rows]:
        host = re.match(r"http://(\w+)\.", uri)[1]
        for event in shop.get(host, f"{uri}events/")["resources"]:
            path = f"{uri}events/{event['sequence']}/replay/"
            if event["deliveries"] and shop.ask("POST", host, path).status_code == 202:
                break
        else:
            raise AssertionError(f"nothing was told of {uri}")
