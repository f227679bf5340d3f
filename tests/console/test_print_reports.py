"""Pages of print reports: the customer's decision, and the shop's view of it."""

import re

import pytest

from apps.erp.models import PrintDecision
from apps.warehouse.models import Model
from tests.console.visitor import text_of
from tests.erp.conftest import (  # noqa: F401  fixtures
    bureau,
    config,
    cube_model,
    erp,
    estimate,
    finish_slice,
    key_of,
    make,
    pending,
    priced,
)
from tests.erp.test_print_report_files import made
from tests.erp.test_print_reports import (  # noqa: F401  fixtures
    limits,
    link,
    model_of,
    order,
    report,
    status_after,
    thin,
)


@pytest.fixture
def page(link):  # noqa: F811
    """The address of the order's page for its customer."""
    return link.replace("/shared-order/", "/o/")


def sent(browser, page: str, report: dict, **values: str):  # noqa: F811
    """The answer to a decision on the page of the order."""
    text = browser.get(page).content.decode()
    key = re.search(r'name="key"[^>]*value="([^"]+)"', text)[1]
    path = f"{page}decision/{key_of(report)}/"
    return browser.send(path, **{"decision": "as-is", "name": "Jo", "key": key, **values})


def test_customer_sees_findings_and_accepts_the_part(browser, erp, limits, report, thin, page):  # noqa: F811
    limits(decision_from="fault")
    row, item = report(thin)

    shown = text_of(browser.get(page))

    assert "1 fault" in shown
    assert "Wall of 0.4 mm" in shown
    assert "Walls below 0.5 mm cannot be made by FDM: it may be missing." in shown
    assert "Not checked: holes, engraved text" in shown
    answer = sent(browser, page, row)
    assert answer.status_code == 303
    after = text_of(browser.get(answer["Location"]))
    assert "Accepted as is: Jo" in after
    assert "Confirm decision" not in after
    assert status_after(erp, item) == (204, "")


def test_question_needs_a_text_and_stays_open(browser, limits, report, thin, page):  # noqa: F811
    limits(decision_from="fault")
    row, _ = report(thin)

    empty = sent(browser, page, row, decision="ask")

    assert empty.status_code == 400
    assert "Write your question." in text_of(empty)
    assert not PrintDecision.objects.exists()
    answer = sent(browser, page, row, decision="ask", text="Is it stiff?")
    assert "Confirm decision" in text_of(browser.get(answer["Location"]))


def test_replaced_file_is_uploaded_by_a_form(browser, limits, report, thin, page):  # noqa: F811
    limits(decision_from="fault")
    row, _ = report(thin)

    form = sent(browser, page, row, decision="replaced")

    assert form.status_code == 200
    upload = re.search(r'action="([^"]+/upload/model/[^"]+)"', form.content.decode())[1]
    assert str(Model.objects.latest("pk").pk) in upload
    assert page.strip("/").split("/")[-1] in upload  # where it goes afterwards
    assert "We check the new file" in text_of(browser.get(page))


def test_shop_sees_the_report_and_records_the_acceptance(ada, erp, limits, report, thin, order):  # noqa: F811
    limits(decision_from="fault")
    row, item = report(thin)
    order_page = text_of(ada.get(f"/order/{key_of(order)}/"))
    assert "1 fault" in order_page
    assert "Waits for the customer’s decision" in order_page
    path = f"/print-report/{key_of(row)}/"

    answer = ada.send(path, name="Bolt, by phone", text="", key="x1")

    assert answer.status_code == 303
    shown = text_of(ada.get(path))
    assert "Bolt, by phone" in shown
    assert "recorded by the shop" in shown
    assert status_after(erp, item) == (204, "")


def test_report_of_another_order_is_not_shown(browser, limits, report, thin, page):  # noqa: F811
    limits()
    report(thin)

    assert browser.get(f"{page}decision/01900000-0000-7000-8000-000000000000/").status_code == 404


def test_shop_and_customer_download_the_reports_as_pdf(
    ada,
    browser,
    limits,  # noqa: F811
    report,  # noqa: F811
    thin,  # noqa: F811
    order,  # noqa: F811
    page,
    queued,
):
    limits()
    row, _ = report(thin)
    path = f"/order/{key_of(order)}/print-reports/"
    assert path in ada.get(f"/print-report/{key_of(row)}/").content.decode()
    assert f'href="{page}print-reports/"' in browser.get(page).content.decode()

    begun = ada.get(path)

    assert (begun.status_code, begun["Location"]) == (303, f"{path}?wait=1")
    waiting = ada.get(begun["Location"])
    assert "Creating PDF" in text_of(waiting)
    assert "data-busy" in waiting.content.decode()
    assert "Creating PDF" in text_of(browser.get(f"{page}print-reports/?wait=1"))
    made(queued)
    for visitor, at in ((ada, path), (browser, f"{page}print-reports/")):
        ready = visitor.get(at)
        assert ready.status_code == 302
        assert "/content/" in ready["Location"] or ".pdf" in ready["Location"]
        shown = visitor.get(f"{at}?wait=1").content.decode()
        assert "Download as PDF" in shown
        assert "data-busy" not in shown


def test_order_without_reports_has_no_link_to_a_pdf(browser, order, page, ada):  # noqa: F811
    assert "print-reports/" not in browser.get(page).content.decode()
    assert ada.get(f"/order/{key_of(order)}/print-reports/").status_code == 409
