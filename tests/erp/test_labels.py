"""Labels of pieces: what they show, and that they are harmless."""

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from apps.erp.models import Bureau, LineItem, Order, Piece, Place, Printer, ProcessStep, Run
from apps.erp.production.services import labels
from apps.warehouse.models import Model
from core.models import Blob
from core.uris import keys_of

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '</text><script>alert("1")</script>'


@pytest.fixture
def work_order(person, bureau, printer, make, step):
    """An order of three hinges of PA 12, whose first step is printing."""
    row = Bureau.objects.get(pk=keys_of(bureau["uri"], "bureau")[0])
    material = make("material", bureau=bureau["uri"], name="PA 12")["uri"]
    order = Order.objects.create(
        bureau=row, name="Hinges for the gate", customer_name="Gates Ltd", creator=person
    )
    line_item = LineItem.objects.create(
        bureau=row,
        order=order,
        name="Hinge, left",
        quantity=3,
        base_material_id=keys_of(material, "material")[0],
        creator=person,
    )
    pieces = [
        Piece.objects.create(bureau=row, line_item=line_item, number=number, step=step)
        for number in (1, 2, 3)
    ]
    return SimpleNamespace(order=order, line_item=line_item, pieces=pieces, bureau=row)


@pytest.fixture
def step(make, bureau, printer_type):
    """The printing step of a workflow."""
    steps = make("workflow", bureau=bureau["uri"], name="Print")["uri"]
    made = make("process-step", workflow=steps, step_position=1, process_type=printer_type["uri"])
    return ProcessStep.objects.get(pk=keys_of(made["uri"], "process-step")[0])


@pytest.fixture
def run(person, work_order, printer):
    """Two of the pieces, the last one on top."""
    key = keys_of(printer["uri"], "printer")[0]
    rows = [
        Run.objects.create(
            bureau=work_order.bureau, name=name, printer=Printer.objects.get(pk=key), creator=person
        )
        for name in ("Before", "Monday")
    ]
    first, _, last = work_order.pieces
    for row, order in ((rows[0], (first, last)), (rows[1], (last, first))):
        for position, piece in enumerate(order):
            Place.objects.create(run=row, piece=piece, position=position)
    return rows[1]


def drawn(client, piece) -> ElementTree.Element:
    answer = client.get(f"{piece.uri}label/", {"format": "svg"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml; charset=utf-8")
    return ElementTree.fromstring(answer.content)  # noqa: S314  our own answer


def words(drawing: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text")]


def test_label_shows_order_customer_part_material_step_and_number(erp, work_order):
    piece = work_order.pieces[1]

    drawing = drawn(erp, piece)

    assert words(drawing) == [
        "Hinges for the gate",
        "Gates Ltd",
        "Hinge, left",
        "PA 12",
        "1. SLS 340",
        "2 of 3",
        str(piece.pk),
    ]
    assert drawing.find(f"{SVG}title").text == piece.uri
    assert drawing.find(f"{SVG}image") is None


def test_label_shows_the_snapshot_of_its_model(erp, work_order, person):
    picture = Blob.objects.create(sha256="a" * 64, size=1)
    model = Model.objects.create(owner=person, name="hinge", picture=picture)
    Piece.objects.update(model_uri=model.uri)

    drawing = drawn(erp, work_order.pieces[0])

    shown = drawing.find(f"{SVG}image").get("href")
    assert shown.startswith("http://files.platform.test/content/" + "a" * 64)


def test_label_qr_code_leads_to_the_page_of_the_piece(erp, work_order):
    assert labels.page_of(work_order.pieces[0]) == (
        f"http://platform.test/piece/{work_order.pieces[0].pk}/"
    )
    first, second, _ = (drawn(erp, piece).find(f"{SVG}svg/{SVG}svg") for piece in work_order.pieces)

    # Version 5 takes a URI of this length: 37 modules, and 4 around them.
    assert first.get("viewBox") == "0 0 45 45"
    assert first.find(f"{SVG}path[@stroke]").get("d") != second.find(f"{SVG}path[@stroke]").get("d")


def test_traveller_has_a_label_for_each_piece_still_to_be_made(erp, work_order):
    work_order.pieces[0].move("error")
    work_order.pieces[2].move("cancelled")

    answer = erp.get(f"{work_order.order.uri}traveller/")

    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert re.findall(r"<title>(http\S+)</title>", answer.content.decode()) == [
        work_order.pieces[1].uri
    ]


def test_traveller_of_an_order_without_pieces_has_no_labels(erp, work_order):
    Piece.objects.all().delete()

    answer = erp.get(f"{work_order.order.uri}traveller/")

    assert (answer.status_code, b"no labels" in answer.content) == (200, True)


def test_run_labels_are_in_unpacking_order(erp, work_order, run):
    first, _, last = work_order.pieces

    page = erp.get(f"{run.uri}labels/").content.decode()

    assert re.findall(r"<title>(http\S+)</title>", page) == [last.uri, first.uri]
    assert re.findall(r">out (.*?)<", page) == ["1 of 2", "2 of 2"]


def test_traveller_labels_are_paginated(erp, work_order):
    first = erp.get(f"{work_order.order.uri}traveller/?page[limit]=2").content.decode()
    further = re.search(r'<a href="([^"]+)">next', first)[1].replace("&amp;", "&")

    second = erp.get(further).content.decode()

    assert "1 to 2 of 3 labels" in first
    assert re.findall(r"<title>(http\S+)</title>", second) == [work_order.pieces[2].uri]


@pytest.mark.parametrize("query", ["", "?format=svg"])
def test_label_escapes_names(erp, work_order, query):
    Order.objects.update(name=EVIL, customer_name=f"{EVIL}\x07\u202e")
    LineItem.objects.update(name=EVIL)

    answer = erp.get(f"{work_order.pieces[0].uri}label/{query}")

    assert b"<script" not in answer.content
    assert b"&lt;/text&gt;&lt;script" in answer.content
    assert b"\x07" not in answer.content


def test_label_csp_forbids_scripts_and_framing(erp, work_order):
    page = erp.get(f"{work_order.pieces[0].uri}label/")
    picture = erp.get(f"{work_order.pieces[0].uri}label/?format=svg")

    nonce = re.search(r'<style nonce="([\w-]+)">', page.content.decode())[1]
    assert page["Content-Security-Policy"] == (
        "default-src 'none'; img-src http://files.platform.test;"
        f" style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert "style-src" not in picture["Content-Security-Policy"]


def test_labels_are_visible_to_bureau_members_only(
    client_of, work_order, run, stranger, make, bureau
):
    paths = [
        f"{work_order.pieces[0].uri}label/",
        f"{work_order.order.uri}traveller/",
        f"{run.uri}labels/",
    ]
    somebody = client_of("erp", stranger)

    before = [somebody.get(path).status_code for path in paths]
    unknown = [client_of("erp").get(path).status_code for path in paths]
    make("membership-bureau", bureau=bureau["uri"], user=stranger.uri)
    after = [somebody.get(path).status_code for path in paths]

    assert (before, unknown, after) == ([404] * 3, [401] * 3, [200] * 3)


@pytest.mark.parametrize("query", ["?format=pdf", "?page[limit]=0", "?size=big"])
def test_label_rejects_unknown_or_invalid_parameters(erp, work_order, query):
    assert erp.get(f"{work_order.pieces[0].uri}label/{query}").status_code == 400
