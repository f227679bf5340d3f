"""Print reports of line items, and what their customers decide about them."""

import json

import pytest
from django.db import ProgrammingError

from apps.callbacks.models import Event
from apps.erp.actors import make_print_report, use_replacement
from apps.erp.models import Message, Order, PrintDecision, PrintReport
from apps.erp.orders.services import print_decisions
from apps.users.models import Notification
from apps.warehouse.models import Model
from core.files import blobs
from geometry.analysis import analyse
from geometry.formats.stl import write_binary
from tests.erp.conftest import key_of
from tests.erp.test_order_totals import selling  # noqa: F401  fixture
from tests.erp.test_prices import refused
from tests.geometry.shapes import box

pytestmark = pytest.mark.django_db


@pytest.fixture
def model_of(person):
    """`model_of(triangles)`: a judged model of these triangles; its row."""

    def create(triangles, name: str = "lid") -> Model:
        with blobs.scratch_dir() as folder:
            path, canonical = folder / "content.stl", folder / "canonical.stl"
            write_binary(triangles, path)
            analysis = analyse(path, canonical)._asdict()
            content, mesh = (
                blobs.create_row(*blobs.store_file(file)) for file in (path, canonical)
            )
        return Model.objects.create(
            owner=person,
            name=name,
            status=Model.Status.PROCESSED,
            content_id=content,
            canonical_id=mesh,
            analyses=analysis,
        )

    return create


@pytest.fixture
def thin(model_of) -> Model:
    """A plate of 0.4 mm: thinner than any nozzle prints."""
    return model_of(box((0, 0, 0), (20, 20, 0.4)))


@pytest.fixture
def limits(make, bureau):
    """`limits(decision_from="fault")`: the limits of all printer types of the bureau."""
    return lambda **values: make("process-limits", bureau=bureau["uri"], **values)


@pytest.fixture
def order(make, bureau) -> dict:
    customer = make(
        "customer", bureau=bureau["uri"], name="Bolt AG", email="bolt@example.com", country="DE"
    )
    return make("order", bureau=bureau["uri"], name="Lids", customer=customer["uri"])


@pytest.fixture
def report(erp, queued, order, pending):
    """`report(model)`: the report of a line item of this model, made; the item."""

    def make_one(model: Model, **fields) -> tuple[dict, dict]:
        item = pending(model=model.uri, order=order["uri"], **fields)
        made(queued)
        (row,) = reports_of(erp, item)[-1:]
        return row, item

    return make_one


@pytest.fixture
def link(make, erp, order) -> str:
    """The path of the order for its customer."""
    made = make("share-link", order=order["uri"])
    token = erp.post(f"{made['uri']}link/", {}).json()["token"]
    return f"/shared-order/{token}/"


@pytest.fixture
def decide(client_of, link):
    """`decide(report, "as-is")`: the answer to a decision of the customer."""

    def post(report: dict, decision: str, **values):
        body = {"report": key_of(report), "decision": decision, "name": "Jo", **values}
        return client_of("sales").post(f"{link}print-decision/", body)

    return post


def made(queued) -> None:
    for name, message in queued():
        if name == "make_print_report":
            make_print_report.fn(*json.loads(message))


def reports_of(erp, item: dict) -> list[dict]:
    return erp.get(f"/print-report/?filter[line_item]={item['uri']}&sort=created").json()[
        "resources"
    ]


def status_after(erp, item: dict, status: str = "confirmed") -> tuple[int, str]:
    answer = erp.put(item["uri"], {"status": status})
    return answer.status_code, answer.json()["errors"][0]["code"] if answer.content else ""


def test_report_says_what_is_below_the_limits(limits, report, thin, order):
    limits()

    row, item = report(thin)

    assert (row["status"], row["verdict"], row["line_item"]) == ("processed", "fault", item["uri"])
    assert row["limits"]["wall_fault"] == 0.5
    assert row["not_checked"] == ["holes", "text"]
    (finding,) = row["findings"]
    assert (finding["kind"], finding["severity"], finding["value"]) == ("wall", "fault", 0.4)
    assert finding["mark"] is not None


def test_limits_are_those_of_the_printer_type_and_of_the_process(
    erp, make, bureau, limits, report, thin, priced
):
    (fdm,) = [row for row in erp.get("/printer-type/").json()["resources"] if row["name"] == "FDM"]
    limits(process="metal")
    limits(printer_type=fdm["uri"], process="sla", wall_fault=0.2)

    row, _ = report(thin)

    expected = {"process": "sla", "wall_fault": 0.2, "wall_risk": 0.5, "gap_risk": 0.3}
    assert row["limits"] == {**expected, "shell_risk": 0.5, "decision_from": None}
    assert row["verdict"] == "risk"


def test_bureau_without_limits_has_no_reports(erp, pending, order, thin, queued):
    pending(model=thin.uri, order=order["uri"])

    assert "make_print_report" not in [name for name, _ in queued()]


def test_limits_of_all_printer_types_are_set_once(erp, limits, bureau):
    limits()

    again = erp.post("/process-limits/", {"bureau": bureau["uri"]})

    assert refused(again) == {("resource-exists", None)}
    assert refused(erp.post("/process-limits/", {"bureau": bureau["uri"], "wall_risk": 0})) == {
        ("property-value-not-in-allowed-values", "wall_risk")
    }


def test_fault_is_decided_about_before_it_is_made(erp, limits, report, thin, decide):
    limits(decision_from="fault")
    row, item = report(thin)
    assert status_after(erp, item) == (409, "decision-needed")

    answer = decide(row, "as-is", text="It is a shim.")

    assert (answer.status_code, answer.json()) == (201, {"upload": None})
    decision = PrintDecision.objects.get()
    assert (decision.name, decision.by_customer) == ("Jo", True)
    assert decision.findings == row["findings"]
    assert status_after(erp, item) == (204, "")
    assert Notification.objects.get(kind="print-decision").data["decision"] == "as-is"
    assert Event.objects.filter(type="print-decision.as-is").exists()


def test_part_is_not_confirmed_before_its_report_is_made(erp, limits, pending, order, thin):
    limits(decision_from="risk")
    item = pending(model=thin.uri, order=order["uri"])

    assert status_after(erp, item) == (409, "print-report-pending")


def test_risk_needs_no_decision_where_only_faults_do(erp, limits, report, model_of):
    limits(decision_from="fault")
    row, item = report(model_of(box((0, 0, 0), (20, 20, 0.8))))

    assert row["verdict"] == "risk"
    assert status_after(erp, item) == (204, "")


def test_question_leaves_the_decision_open(erp, limits, report, thin, decide):
    limits(decision_from="fault")
    row, item = report(thin)

    assert decide(row, "ask", text="Would 1 mm be better?").status_code == 201

    assert status_after(erp, item) == (409, "decision-needed")
    assert decide(row, "as-is").status_code == 201
    assert status_after(erp, item) == (204, "")
    assert refused(decide(row, "ask")) == {("decision-closed", None)}


def test_member_decides_for_the_customer(erp, limits, report, thin):
    limits(decision_from="fault")
    row, item = report(thin)
    body = {"print_report": row["uri"], "decision": "as-is", "name": "Bolt, by phone"}

    made = erp.post("/print-decision/", body)

    assert made.status_code == 201
    assert (made.json()["by_customer"], made.json()["findings"]) == (False, row["findings"])
    assert status_after(erp, item) == (204, "")
    code = ("property-value-not-in-allowed-values", "decision")
    assert refused(erp.post("/print-decision/", body | {"decision": "replaced"})) == {code}


def test_decision_never_changes(erp, limits, report, thin, decide):
    limits(decision_from="fault")
    row, _ = report(thin)
    decide(row, "as-is")

    decision = PrintDecision.objects.get()
    assert erp.put(decision.uri, {"name": "Bob"}).status_code == 405
    assert erp.delete(decision.uri).status_code == 405
    with pytest.raises(ProgrammingError, match="never changes"):
        PrintDecision.objects.update(name="Bob")


def test_customer_gets_a_mail_and_sees_the_report(client_of, limits, report, thin, link, order):
    limits(decision_from="fault")
    row, _ = report(thin)

    shown = client_of("sales").get(link).json()["order"]

    (line,) = shown["lines"]
    assert line["report"]["report"] == key_of(row)
    assert (line["report"]["needs_decision"], line["report"]["can_decide"]) == (True, True)
    assert line["report"]["findings"] == row["findings"]
    assert Message.objects.get(order=key_of(order)).moment == "question"


def test_replaced_file_is_compared_and_used(
    erp,
    limits,
    report,
    thin,
    decide,
    model_of,
    queued,
    finish_slice,
    client_of,
    link,
    order,
    estimate,
):
    limits(decision_from="fault")
    row, item = report(thin)
    Order.objects.update(is_instant=True)

    answer = decide(row, "replaced", file_name="Lid 2.STL")

    assert "/upload/model/" in answer.json()["upload"]
    assert f"max={print_decisions.MAX_BYTES}&" in answer.json()["upload"]
    waiting = Model.objects.get(name="Lid 2")
    assert waiting.owner == thin.owner
    line = client_of("sales").get(link).json()["order"]["lines"][0]
    assert line["report"]["decision"]["replacement"] == "processing"
    thicker = model_of(box((0, 0, 0), (20, 20, 0.8)))
    Model.objects.filter(pk=waiting.pk).update(
        status="processed",
        content=thicker.content,
        canonical=thicker.canonical,
        analyses=thicker.analyses,
    )
    use_replacement(waiting.uri)

    replaced = erp.get(item["uri"]).json()
    assert (replaced["model"], replaced["status"]) == (waiting.uri, "calculating_estimates")
    assert not Order.objects.get().is_instant
    finished(estimate, erp, finish_slice, item)
    made(queued)
    after = reports_of(erp, item)[-1]
    assert (after["model"], after["verdict"]) == (waiting.uri, "risk")
    assert erp.get(row["uri"]).json()["needs_decision"] is False
    assert [finding["kind"] for finding in after["gone"]] == ["wall"]
    assert [finding["change"] for finding in after["findings"]] == ["new"]
    assert status_after(erp, item) == (204, "")


def finished(estimate, erp, finish_slice, item: dict) -> None:
    estimate()
    item = erp.get(item["uri"]).json()
    if item["status"] != "pending":
        finish_slice(item)


def test_accepted_finding_that_stays_needs_no_new_decision(
    erp, limits, report, thin, decide, model_of, queued, finish_slice, estimate
):
    limits(decision_from="fault")
    row, item = report(thin)
    decide(row, "as-is")
    longer = model_of(box((0, 0, 0), (20, 20.5, 0.4)))
    PrintReport.objects.update(findings=[row["findings"][0] | {"at": [10, 10, 0.4]}])

    assert erp.put(item["uri"], {"model": longer.uri}).status_code == 204
    finished(estimate, erp, finish_slice, item)
    made(queued)

    after = reports_of(erp, item)[-1]
    (finding,) = after["findings"]
    place_is_near = abs(finding["at"][0] - 10) < 2 and abs(finding["at"][1] - 10) < 2
    expected = ("stays", True) if place_is_near else ("new", False)
    assert (finding["change"], finding["accepted"]) == expected
    assert status_after(erp, item)[0] == (204 if place_is_near else 409)


def test_only_stl_files_replace_others(limits, report, thin, decide):
    limits(decision_from="fault")
    row, _ = report(thin)

    code = ("property-value-not-in-allowed-values", "file_name")
    assert refused(decide(row, "replaced", file_name="lid.step")) == {code}
    assert refused(decide(row, "replaced", file_name="lid.stl.exe")) == {code}
    assert not PrintDecision.objects.exists()


def test_decisions_by_the_links_of_an_order_are_limited(limits, report, thin, decide, monkeypatch):
    monkeypatch.setattr(print_decisions, "MAX_DECISIONS", 2)
    limits(decision_from="fault")
    row, _ = report(thin)

    answers = [decide(row, "ask", text="Why?").status_code for _ in range(3)]

    assert answers == [201, 201, 429]
    assert PrintDecision.objects.count() == 2


def test_decision_about_a_report_of_another_order(limits, report, thin, decide, make, bureau):
    limits(decision_from="fault")
    row, _ = report(thin)
    other = make("order", bureau=bureau["uri"], name="Other")
    PrintReport.objects.update(order_id=key_of(other))

    assert refused(decide(row, "as-is")) == {("resource-not-found", "report")}
