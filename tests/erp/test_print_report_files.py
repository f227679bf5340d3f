"""The print reports of an order as PDF: what it says, when it is made, and who gets it."""

import io
import json
from datetime import timedelta

import pytest
from django.utils import timezone
from PIL import Image
from pypdf import PdfReader

from apps.erp.actors import make_print_report_file
from apps.erp.models import PrintReport, PrintReportFile
from apps.erp.orders.domain.documents import report_page
from apps.erp.orders.services import print_report_files
from apps.warehouse.models import Model
from core.files import blobs
from tests.erp.test_order_totals import selling  # noqa: F401  fixture
from tests.erp.test_prices import refused
from tests.erp.test_print_reports import (  # noqa: F401  fixtures
    decide,
    limits,
    link,
    model_of,
    order,
    report,
    thin,
)

# ruff: noqa: F811  fixtures
pytestmark = pytest.mark.django_db


@pytest.fixture
def with_picture():
    """`with_picture(model)`: gives the model a picture of 800 x 600 pixels."""

    def draw(model: Model) -> None:
        with blobs.scratch_dir() as folder:
            path = folder / "picture.png"
            Image.new("RGB", (800, 600), "#88aacc").save(path)
            picture = blobs.create_row(*blobs.store_file(path))
        Model.objects.filter(pk=model.pk).update(picture=picture)

    return draw


def made(queued) -> None:
    for name, message in queued():
        if name == "make_print_report_file":
            make_print_report_file.fn(*json.loads(message))


def pages_of(file: PrintReportFile) -> list:
    assert file.status == "processed", file.errors
    return list(PdfReader(io.BytesIO(blobs.read(str(file.content_id)))).pages)


def text_of(file: PrintReportFile) -> str:
    """The text of a PDF, in one line."""
    return " ".join(" ".join(page.extract_text() for page in pages_of(file)).split())


def test_pdf_has_findings_limits_marks_and_decisions(
    client_of, limits, report, thin, order, decide, with_picture, erp, queued
):
    limits(decision_from="fault")
    with_picture(thin)
    row, item = report(thin, quantity=7)
    decide(row, "ask", text="Would 1 mm be better?")
    decide(row, "as-is", text="It is a shim.")
    path = f"{order['uri']}print-reports/"

    begun = erp.get(path)

    assert (begun.status_code, begun.headers["Retry-After"]) == (202, "2")
    assert begun.json() == {"status": "processing", "errors": None, "content": None}
    made(queued)
    ready = erp.get(path)
    assert (ready.status_code, ready.json()["status"]) == (200, "processed")
    assert "print-reports-" in ready.json()["content"]
    file = PrintReportFile.objects.get()
    text = text_of(file)
    for part in (
        "Printability report",
        f"7 × {item['name']}",
        "1 fault",
        "Wall of 0.4 mm",
        "Walls below 0.5 mm cannot be made by FDM: it may be missing.",
        "Limits for FDM: walls 1 mm (minimum 0.5 mm), gaps 0.4 mm, separate bodies 2 mm.",
        "Not checked: holes, engraved text",
        "Accepted as is: Jo, ",
        "It is a shim.",
        "Question to the shop: Jo, ",
        "Would 1 mm be better?",
        "Bolt AG",
        "Page 1 of 1",
    ):
        assert part in text, text
    (page,) = pages_of(file)
    assert [(round(page.mediabox.width), round(page.mediabox.height))] == [(595, 842)]
    assert [image.image.size for image in page.images] == [(800, 600)]
    drawn = page.get_contents().get_data().decode("latin-1")
    assert drawn.count("1 1 1 RG") == 1  # the white edge of the mark in the picture
    x, y = row["findings"][0]["mark"]
    html = report_page.reports_page(file.order, file.data, file.created)
    assert f'<circle cx="{round(800 * x, 1):g}" cy="{round(600 * y, 1):g}"' in html
    assert '<text x="' in html


def test_pdf_is_in_the_language_of_the_customer(erp, limits, report, thin, order, decide, queued):
    limits()
    report(thin)
    assert erp.put(order["customer"], {"language": "de"}).status_code == 204

    erp.get(f"{order['uri']}print-reports/")
    made(queued)

    text = text_of(PrintReportFile.objects.get())
    for part in (
        "Bericht zur Druckbarkeit",
        "Wand von 0,4 mm",
        "Grenzen für FDM: Wände 1 mm (Minimum 0,5 mm), Spalten 0,4 mm",
        "Nicht geprüft: ",
        "Seite 1 von 1",
    ):
        assert part in text, text


def test_equal_reports_are_drawn_once_and_changed_ones_anew(
    erp, limits, report, thin, order, decide, queued
):
    limits(decision_from="fault")
    row, _ = report(thin)
    path = f"{order['uri']}print-reports/"
    erp.get(path)
    made(queued)
    before = PrintReportFile.objects.get()

    assert erp.get(path).status_code == 200
    assert [name for name, _ in queued()].count("make_print_report_file") == 1
    decide(row, "as-is")
    assert erp.get(path).status_code == 202

    after = PrintReportFile.objects.get()  # the one before is deleted
    assert after.key != before.key


def test_customer_gets_the_pdf_by_the_link(client_of, limits, report, thin, link, queued):
    limits()
    report(thin)
    sales = client_of("sales")
    path = f"{link}print-reports/"

    assert sales.get(path).status_code == 202
    made(queued)

    answer = sales.get(path)
    assert (answer.status_code, answer.headers["X-Robots-Tag"]) == (200, "noindex")
    assert "Wall of 0.4 mm" in text_of(PrintReportFile.objects.get())
    assert sales.get("/shared-order/unknown-token/print-reports/").status_code == 404


def test_only_members_get_the_pdf_by_the_order(client_of, stranger, limits, report, thin, order):
    limits()
    report(thin)
    path = f"{order['uri']}print-reports/"

    assert client_of("erp").get(path).status_code == 401
    assert client_of("erp", stranger).get(path).status_code == 404
    assert not PrintReportFile.objects.exists()


def test_link_of_another_order_does_not_show_the_reports(
    client_of, erp, limits, report, thin, order, make
):
    limits()
    report(thin)
    other = make("order", bureau=order["bureau"], name="Other")
    shared = make("share-link", order=other["uri"])
    token = erp.post(f"{shared['uri']}link/", {}).json()["token"]

    answer = client_of("sales").get(f"/shared-order/{token}/print-reports/")

    assert refused(answer) == {("no-print-report", None)}
    assert not PrintReportFile.objects.exists()


@pytest.mark.parametrize(
    "name",
    [
        '<script>alert(1)</script><img src="file:///etc/passwd">',
        "</h2></section>{{ data.seller }}{% load x %}",
        "n" * 200,
        "\u202egnp.lid \u0007 \U0001f9e9",
    ],
)
def test_names_of_parts_are_text(erp, limits, report, thin, order, queued, name):
    limits()
    _, item = report(thin)
    assert erp.put(item["uri"], {"name": name}).status_code == 204

    erp.get(f"{order['uri']}print-reports/")
    made(queued)

    file = PrintReportFile.objects.get()
    shown = text_of(file).replace(" ", "")
    assert len(pages_of(file)) == 1
    if name.isascii():
        assert name.replace(" ", "") in shown


def test_order_without_reports_has_no_pdf(erp, order, pending, thin):
    pending(model=thin.uri, order=order["uri"])

    answer = erp.get(f"{order['uri']}print-reports/")

    assert (answer.status_code, refused(answer)) == (409, {("no-print-report", None)})


def test_order_of_too_many_parts_has_no_pdf(erp, order, limits, report, thin, monkeypatch):
    limits()
    report(thin)
    report(thin)
    monkeypatch.setattr(report_page, "MAX_PARTS", 1)

    assert refused(erp.get(f"{order['uri']}print-reports/")) == {("too-many-lines", None)}


def test_pdf_that_failed_is_tried_again_after_a_while(erp, limits, report, thin, order, queued):
    limits()
    report(thin)
    path = f"{order['uri']}print-reports/"
    erp.get(path)
    queued()
    fault = [{"code": "internal-error", "title": "The disk was full."}]
    PrintReportFile.objects.update(status="error", errors=fault)

    assert erp.get(path).json() == {"status": "error", "errors": fault, "content": None}

    passed = timezone.now() - print_report_files.RETRY_AFTER - timedelta(seconds=1)
    PrintReportFile.objects.update(updated=passed)
    assert erp.get(path).status_code == 202


def test_all_findings_of_many_parts_are_drawn(erp, limits, report, thin, order, queued):
    limits()
    row, _ = report(thin)
    report(thin)
    many = [row["findings"][0] | {"value": 0.01 * number} for number in range(1, 65)]
    PrintReport.objects.update(findings=many)

    erp.get(f"{order['uri']}print-reports/")
    made(queued)

    file = PrintReportFile.objects.get()
    text = text_of(file)
    for number in range(1, 65):
        assert text.count(f"Wall of {0.01 * number:g} mm") == 2, number
    assert len(pages_of(file)) >= 4
    assert "64 faults" in text
