"""Customers in CSV files of other programs: encoding, separator, headings, rows."""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

MAX_BYTES = 2 * 1024**2
MAX_ROWS = 5000
MAX_CELL = 10_000  # characters
LENGTH_OF_CODE = 2  # of a country
SEPARATORS = (";", ",", "\t")
FORMULA = ("=", "+", "-", "@")  # behind an apostrophe in exports

# Headings in English and German, without blanks and signs, by what they are read as.
HEADINGS: dict[str, tuple[str, ...]] = {
    "name": ("name", "customer", "customername", "kunde", "kundenname", "bezeichnung"),
    "firm": ("company", "companyname", "organisation", "organization", "firma", "firmenname",
             "unternehmen"),
    "first_name": ("firstname", "givenname", "vorname"),
    "last_name": ("lastname", "surname", "familyname", "nachname"),
    "reference": ("reference", "customernumber", "customerno", "customerid", "number", "referenz",
                  "kundennummer", "kundennr", "nummer"),
    "contact": ("contact", "contactperson", "contactname", "ansprechpartner", "kontakt",
                "kontaktperson"),
    "email": ("email", "emailaddress", "mail", "emailadresse"),
    "phone": ("phone", "phonenumber", "telephone", "telefon", "telefonnummer", "tel"),
    "address": ("address", "billingaddress", "postaladdress", "adresse", "anschrift",
                "rechnungsadresse"),
    "street": ("street", "address1", "addressline1", "strasse"),
    "zip": ("zip", "zipcode", "postcode", "postalcode", "plz", "postleitzahl"),
    "city": ("city", "town", "ort", "stadt"),
    "country": ("country", "countrycode", "land", "ländercode"),
    "vat_number": ("vatnumber", "vatid", "vat", "ustidnr", "ustid", "umsatzsteuerid",
                   "umsatzsteueridentifikationsnummer"),
    "group_name": ("group", "groupname", "customergroup", "gruppe", "kundengruppe"),
    "company_name": ("customercompany", "companyaccount", "kundenfirma", "firmenkonto"),
    "language": ("language", "sprache"),
    "notes": ("notes", "note", "comment", "notizen", "notiz", "bemerkung", "bemerkungen"),
}  # fmt: skip
_BY_HEADING = {heading: field for field, names in HEADINGS.items() for heading in names}
# Fields of the API that have the same name.
OWN = ("reference", "contact", "email", "phone", "country", "vat_number", "language", "notes",
       "group_name", "company_name")  # fmt: skip
COUNTRIES = {
    "germany": "DE", "deutschland": "DE", "austria": "AT", "österreich": "AT",
    "switzerland": "CH", "schweiz": "CH", "netherlands": "NL", "niederlande": "NL",
    "belgium": "BE", "belgien": "BE", "france": "FR", "frankreich": "FR", "luxembourg": "LU",
    "luxemburg": "LU", "denmark": "DK", "dänemark": "DK", "sweden": "SE", "schweden": "SE",
    "poland": "PL", "polen": "PL", "italy": "IT", "italien": "IT", "spain": "ES", "spanien": "ES",
}  # fmt: skip


class UnreadableCsv(Exception):
    """The file cannot be read as customers; `text` says why."""

    def __init__(self, text: str | Promise):
        super().__init__(str(text))
        self.text = text


@dataclass(frozen=True)
class CsvRow:
    """A row: the line of the file at which it ends, and the values of a customer."""

    line: int
    values: Mapping[str, str]


@dataclass(frozen=True)
class CsvCustomers:
    """What a file has: headings that are read, those that are not, rows."""

    headings: Sequence[str]
    ignored: Sequence[str]
    rows: Sequence[CsvRow]


def decoded(content: bytes) -> str:
    """Return the text of a file: UTF-8, UTF-16 with its mark, else Windows-1252."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def read_customers(text: str) -> CsvCustomers:
    """Return the customers of a text. Raises UnreadableCsv."""
    if "\0" in text:
        raise UnreadableCsv(_("The file is no CSV file: it has bytes that are no text."))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    separator = _separator(text)
    lines = _lines(text, separator)
    _line, head = next(lines, (0, []))
    if not head:
        raise UnreadableCsv(_("The file is empty."))
    fields = [_BY_HEADING.get(_plain(cell), "") for cell in head]
    if not {"name", "firm", "last_name"} & {*fields}:
        raise UnreadableCsv(
            _("The first line must name the columns. A column with the name is missing: Name.")
        )
    rows: list[CsvRow] = []
    for line, cells in lines:
        if len(rows) == MAX_ROWS:
            raise UnreadableCsv(_("The file has more than 5,000 rows. Divide it."))
        rows.append(CsvRow(line, _customer(fields, cells)))
    if not rows:
        raise UnreadableCsv(_("The file has no rows below its headings."))
    named = list(zip(head, fields, strict=True))
    return CsvCustomers(
        headings=[cell.strip() for cell, field in named if field],
        ignored=[cell.strip() for cell, field in named if not field and cell.strip()],
        rows=rows,
    )


def _separator(text: str) -> str:
    """The separator by which the largest number of headings of the first line is recognised."""
    first = text.lstrip("\n").partition("\n")[0]

    def recognised(separator: str) -> int:
        cells = next(csv.reader([first], delimiter=separator), [])
        return sum(_plain(cell) in _BY_HEADING for cell in cells)

    return max(SEPARATORS, key=recognised)


def _lines(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that have any text, each with its number."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if any(len(cell) > MAX_CELL for cell in cells):
                    raise csv.Error
                yield reader.line_num, cells
    except csv.Error as error:
        message = _("Line %(line)s cannot be read. Look for a quotation mark that is not closed.")
        raise UnreadableCsv(message % {"line": reader.line_num}) from error


def _plain(heading: str) -> str:
    return re.sub(r"[^\w]|_", "", heading.casefold())


def _customer(fields: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The values of a customer; of two columns of the same meaning the first one with text."""
    texts: dict[str, str] = {}
    for field, cell in zip(fields, cells, strict=False):
        if text := _text(cell):
            texts.setdefault(field, text)
    person = " ".join(texts[part] for part in ("first_name", "last_name") if part in texts)
    values = {name: texts[name] for name in OWN if name in texts}
    name = texts.get("firm") or texts.get("name") or person
    if contact := texts.get("contact") or (person if person != name else ""):
        values["contact"] = contact
    if "firm" in texts and "name" in texts and "contact" not in values:
        values |= {"contact": texts["name"]} if texts["name"] != name else {}
    place = " ".join(texts[part] for part in ("zip", "city") if part in texts)
    address = "\n".join(each for each in (texts.get("street", ""), place) if each)
    if address := texts.get("address") or address:
        values["address"] = address
    if country := values.get("country"):
        code = country.upper() if len(country) == LENGTH_OF_CODE else country
        values["country"] = COUNTRIES.get(country.casefold(), code)
    if language := values.get("language"):
        values["language"] = language.lower()
    return {"name": name, **values}


def _text(cell: str) -> str:
    text = cell.strip()
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text
