"""Import of customers: each row is created, updated or refused by itself."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.erp.models import Bureau, Customer

pytestmark = pytest.mark.django_db


@pytest.fixture
def send(bureau, erp):
    """`send(row, ..., dry_run=False)`: the results of an import into the bureau."""

    def post(*rows: dict, dry_run: bool = False, by=erp) -> list[dict]:
        path = f"{bureau['uri']}customer-import/{'?dry_run=true' if dry_run else ''}"
        answer = by.post(path, {"customers": [*rows]})
        assert answer.status_code == 200, answer.content
        return answer.json()["results"]

    return post


def outcomes(results: list[dict]) -> list[str]:
    return [each["outcome"] for each in results]


ROWS = (
    {"name": "Hansa GmbH", "email": "po@hansa.example", "country": "DE", "reference": "K1"},
    {"name": "Weserbot", "email": "team@weserbot.example", "phone": "+49 421 1"},
    {"name": "Ada Lovelace"},
)


def test_rows_are_imported_once_however_often_they_are_sent(send, erp):
    assert outcomes(send(*ROWS, dry_run=True)) == ["new"] * 3
    assert Customer.objects.count() == 0
    first = send(*ROWS)
    assert outcomes(first) == ["new"] * 3
    assert erp.get(first[0]["customer"]).json()["reference"] == "K1"

    second = send(*ROWS)

    assert outcomes(second) == ["unchanged"] * 3
    assert [each["customer"] for each in second] == [each["customer"] for each in first]
    assert Customer.objects.count() == 3


def test_customers_are_matched_by_reference_then_e_mail(send):
    send(*ROWS)
    Customer.objects.update(vat_number="DE136695976", vat_confirmed=True)

    results = send(
        {"name": "Hansa AG", "reference": "k1", "email": "new@hansa.example"},
        {"name": "Weserbot", "reference": "K2", "email": "TEAM@weserbot.example"},
        {"name": "ADA LOVELACE", "vat_number": "ATU13585627"},
        {"name": "Other Hansa", "reference": "K3", "email": "new@hansa.example"},
    )

    assert outcomes(results) == ["updated", "updated", "updated", "new"]
    rows = {row.reference: row for row in Customer.objects.all()}
    assert (rows["k1"].name, rows["k1"].email) == ("Hansa AG", "new@hansa.example")
    assert rows["K2"].phone == "+49 421 1"  # not in the row
    assert rows["K2"].vat_confirmed
    assert not rows[""].vat_confirmed
    assert rows["K3"].name == "Other Hansa"


def test_groups_and_companies_are_named_and_must_exist(send, bureau, make):
    group = make("customer-group", bureau=bureau["uri"], name="Resellers")
    company = make("customer-company", bureau=bureau["uri"], name="Hansa Group")
    for _ in "12":
        make("customer-group", bureau=bureau["uri"], name="Twice")
    make("customer-group", bureau=make("bureau", name="Other")["uri"], name="Elsewhere")
    row = {"name": "Hansa", "group_name": "resellers", "company_name": "Hansa Group"}

    (made,) = send(row)
    results = send(
        row,
        {"name": "A", "group_name": "Elsewhere"},
        {"name": "B", "company_name": "Hansa"},
        {"name": "C", "group_name": "TWICE"},
        {"name": "D", "group_name": 5},
        {"name": "E", "group": group["uri"]},
    )

    customer = Customer.objects.get()
    linked = (customer.uri, customer.group.uri, customer.company.uri)
    assert linked == (made["customer"], group["uri"], company["uri"])
    assert outcomes(results) == ["unchanged", *["error"] * 5]
    errors = [each["errors"][0] for each in results[1:]]
    assert errors[0] == {
        "code": "name-not-found",
        "title": "There is no customer group 'Elsewhere'. Create it first, or correct the name.",
        "field": "group_name",
    }
    assert "no customer company 'Hansa'" in errors[1]["title"]
    assert "Rename one" in errors[2]["title"]
    fields = [each["field"] for each in errors]
    assert fields == ["group_name", "company_name", "group_name", "group_name", "group"]
    assert outcomes(send({"name": "Hansa", "group_name": "", "company_name": ""})) == ["updated"]
    customer.refresh_from_db()
    assert (customer.group, customer.company) == (None, None)


def test_bad_rows_do_not_stop_the_others(send, bureau):
    Customer.objects.bulk_create(
        Customer(bureau=Bureau.objects.get(), name="Twin", email="twin@x.example") for _ in "12"
    )

    results = send(
        {"email": "a@b.example"},
        {"name": "Mail", "email": "nobody"},
        {"name": "Land", "country": "Germany"},
        {"name": "Twin", "email": "Twin@x.example"},
        {"name": "Good"},
        {"name": "good"},
        {"name": "Own", "bureau": bureau["uri"]},
        {"name": "x" * 201},
    )

    assert outcomes(results) == [*["error"] * 4, "new", *["error"] * 3]
    fields = [each["errors"][0]["field"] for each in results if each["errors"]]
    assert fields == ["name", "email", "country", "email", "name", "bureau", "name"]
    assert "An earlier row has the same name: good" in results[5]["errors"][0]["title"]
    assert Customer.objects.count() == 3


def test_statements_do_not_depend_on_the_number_of_rows(send, bureau, make):
    group = make("customer-group", bureau=bureau["uri"], name="Resellers")["name"]
    send({"name": "Warm"})

    def statements(count: int) -> int:
        """Of an import that creates customers, and of the same again."""
        with CaptureQueriesContext(connection) as context:
            for _ in "12":
                send(*({"name": f"C {count} {n}", "group_name": group} for n in range(count)))
        return len(context)

    assert statements(100) == statements(1)


def test_import_takes_the_right_to_customers_and_up_to_5000_rows(
    send, bureau, erp, client_of, member
):
    path = f"{bureau['uri']}customer-import/"
    assert client_of("erp", member).post(path, {"customers": [{"name": "A"}]}).status_code == 403
    unknown = f"{path[:-54]}{uuid4()}/customer-import/"
    assert erp.post(unknown, {"customers": [{"name": "A"}]}).status_code == 404
    for rows in ([], [{"name": "A"}] * 5001, ["A"], None):
        assert erp.post(path, {"customers": rows}).status_code == 400
    assert Customer.objects.count() == 0
