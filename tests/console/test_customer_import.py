"""Import of customers from CSV files: what is read, previewed and written."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from apps.console.domain.customer_csv import UnreadableCsv, decoded, read_customers
from apps.erp.models import Bureau, Customer, CustomerGroup
from tests.console.visitor import main_of, text_of

PATH = "/customer/import/"
GERMAN = (
    "Kundennummer;Firma;Vorname;Nachname;E-Mail;Straße;PLZ;Ort;Land;USt-IdNr.;Rabatt\r\n"
    'K1;"Hansa ""Maritime"" GmbH";Kai;Reimers;kai@hansa.example;Überseetor 14;28217;Bremen;'
    "Deutschland;DE136695976;8\r\n"
    ";;Ada;Petersen;nobody;;;;;;\r\n"
    ";;=HYPERLINK(1);;f@x.example;;;;;;\r\n"
)


@pytest.fixture
def upload(ada, shop):
    """`upload(content)`: the page after a file with this content."""

    def post(content: str | bytes):
        data = content.encode() if isinstance(content, str) else content
        return ada.send(PATH, file=SimpleUploadedFile("c.csv", data))

    return post


def rows(text: str | bytes) -> list[dict]:
    content = text.encode() if isinstance(text, str) else text
    return [dict(row.values) for row in read_customers(decoded(content)).rows]


def test_columns_encodings_and_separators_are_recognised():
    first, second, third = rows(GERMAN)
    assert first == {
        "name": 'Hansa "Maritime" GmbH',
        "contact": "Kai Reimers",
        "reference": "K1",
        "email": "kai@hansa.example",
        "address": "Überseetor 14\n28217 Bremen",
        "country": "DE",
        "vat_number": "DE136695976",
    }
    assert second["name"] == "Ada Petersen"
    assert third["name"] == "=HYPERLINK(1)"
    for encoding in ("utf-8-sig", "cp1252", "utf-16"):
        assert rows(GERMAN.encode(encoding)) == rows(GERMAN)
    assert rows("name,phone\nA,'+49 1\n") == [{"name": "A", "phone": "+49 1"}]
    assert rows('Name\tAddress\n\nB\t"Kai 2\n28217 Bremen"\n') == [
        {"name": "B", "address": "Kai 2\n28217 Bremen"}
    ]
    assert rows("name,email\nonly\n") == [{"name": "only"}]
    assert rows("name;email;email\nA;;b@x\n;x@y;\n")[0]["email"] == "b@x"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "empty"),
        ("name;email\n", "no rows"),
        ("colour;size\nred;1\n", "A column with the name is missing"),
        ("name\nA\0B\n", "no CSV file"),
        ('name\n"' + "x" * 200_000 + "\n", "Line"),
        ("name\n" + "A\n" * 5001, "5,000 rows"),
    ],
    ids=["empty", "head", "columns", "nul", "quote", "rows"],
)
def test_files_that_are_no_customers_are_refused(content, text):
    with pytest.raises(UnreadableCsv, match=text):
        read_customers(content)


def test_file_is_shown_before_it_is_written_once(ada, upload):
    page = upload(GERMAN)

    shown = main_of(page)
    assert page.status_code == 200
    assert "Check 3 rows" in shown
    assert "Not imported: Rabatt" in shown
    assert re.search(r"3 Ada Petersen nobody Error E-mail “nobody”: \S", shown)
    assert "New 2" in shown
    assert Customer.objects.count() == 0

    written = main_of(ada.send(PATH, text=GERMAN, confirm="yes"))
    assert "2 of 3 rows imported" in written
    again = main_of(ada.send(PATH, text=GERMAN, confirm="yes"))

    assert "0 of 3 rows imported" in again
    assert "Unchanged" in again
    names = set(Customer.objects.values_list("name", flat=True))
    assert names == {'Hansa "Maritime" GmbH', "=HYPERLINK(1)"}
    exported = b"".join(ada.get("/customer/?format=csv")).decode()
    assert "'=HYPERLINK(1)" in exported


def test_groups_and_companies_are_columns(ada, upload):
    CustomerGroup.objects.create(bureau=Bureau.objects.get(), name="Händler")
    text = "Name;Kundengruppe;Kundenfirma\nHansa;händler;\nWeser;Händler;Werft\n"

    shown = main_of(upload(text))
    ada.send(PATH, text=text, confirm="yes")

    assert "Columns: Name, Kundengruppe, Kundenfirma" in shown
    assert "Company “Werft”: There is none with this name. Create it first" in shown
    customer = Customer.objects.get()
    assert (customer.name, customer.group.name) == ("Hansa", "Händler")


def test_bad_files_leave_the_form(ada, upload):
    for content, text in (
        ("", "empty"),
        (b"\x00\x01PNG", "no CSV file"),
        (b"x" * (2 * 1024**2 + 1), "larger than 2 MB"),
    ):
        page = upload(content)
        assert page.status_code == 400
        assert text in text_of(page)
    assert "Choose a CSV file." in text_of(ada.send(PATH))


def test_list_leads_to_the_import_and_its_sample_can_be_imported(ada, shop):
    assert f'href="{PATH}"' in ada.get("/customer/").content.decode()
    assert "Sample file" in text_of(ada.get(PATH))
    sample = b"".join(ada.get(f"{PATH}sample/")).decode()

    page = ada.send(PATH, text=sample, confirm="yes")

    assert "2 of 2 rows imported" in main_of(page)
