"""Shipments: which pieces they have, what becomes of the order, tracking, messages and notes."""

import pytest

from apps.callbacks import interface as callbacks
from apps.erp.models import Document, Message, Order, Piece, Run, Shipment
from apps.erp.orders.domain.carriers import CARRIERS, tracking_url
from core.files import blobs
from tests.conftest import HostClient
from tests.erp.conftest import key_of
from tests.erp.test_confirm_concurrently import in_threads
from tests.erp.test_documents import text_of
from tests.erp.test_prices import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def order(make, bureau) -> dict:
    """An order of a customer who has an address."""
    customer = make("customer", bureau=bureau["uri"], name="Hansa", email="kai@hansa.example")
    address = {"name": "Kai Reimers", "address": "Am Kai 2\n20457 Hamburg"}
    return make(
        "order",
        bureau=bureau["uri"],
        name="Gears",
        customer=customer["uri"],
        shipping=address,
    )


@pytest.fixture
def sent_only(make, bureau, shipping) -> dict:
    """A workflow of which shipping is all."""
    made = make("workflow", bureau=bureau["uri"], name="From stock")
    make("process-step", workflow=made["uri"], step_position=1, process_type=shipping["uri"])
    return made


@pytest.fixture
def item(confirm, sent_only, order) -> dict:
    """Two parts of the order that wait to be shipped."""
    return confirm(quantity=2, workflow=sent_only, order=order)


@pytest.fixture
def ship(erp, order):
    """`ship(item, 1, carrier="DHL")`: the answer to a new shipment; of all that is ready."""

    def post(item: dict | None = None, quantity: int = 1, **fields):
        lines = [{"line_item": item["uri"], "quantity": quantity}] if item else None
        body = {"order": order["uri"], **fields}
        return erp.post("/shipment/", body | ({"lines": lines} if lines else {}))

    return post


@pytest.fixture
def fulfilment(erp, order):
    """`fulfilment()`: ready, packed and shipped pieces of each line item."""

    def read() -> list[tuple[int, int, int]]:
        rows = erp.get(order["uri"]).json()["fulfilment"]
        return [(row["ready"], row["packed"], row["shipped"]) for row in rows]

    return read


def test_shipment_has_all_that_is_ready_unless_lines_say_less(erp, item, ship, fulfilment):
    first, second = ship(item, 1).json(), ship().json()

    assert (first["number"], second["number"], first["status"]) == (1, 2, "open")
    assert first["lines"] == [{"line_item": item["uri"], "name": item["name"] or "", "quantity": 1}]
    assert second["lines"][0]["quantity"] == 1
    assert refused(ship()) == {("nothing-to-ship", None)}
    assert fulfilment() == [(0, 2, 0)]
    assert erp.get("/order/").json()["resources"][0]["fulfilment"] is None


def test_piece_that_is_not_made_is_not_shipped(confirm, workflow, order, ship, fulfilment):
    unprinted = confirm(quantity=2, workflow=workflow, order=order)

    assert fulfilment() == [(0, 0, 0)]
    assert refused(ship()) == {("nothing-to-ship", None)}
    assert refused(ship(unprinted)) == {("more-than-ready", "lines")}


def test_order_is_complete_once_all_of_it_is_shipped(erp, item, ship, order, pieces_of, fulfilment):
    first = ship(item, 1, status="shipped").json()

    assert (first["status"], first["address"]) == (
        "shipped",
        "Kai Reimers\nAm Kai 2\n20457 Hamburg",
    )
    assert [piece["status"] for piece in pieces_of(item)] == ["complete", "created"]
    assert erp.get(order["uri"]).json()["status"] == "in-progress"

    second = ship().json()
    assert erp.put(second["uri"], {"status": "shipped"}).status_code == 204

    assert fulfilment() == [(0, 0, 2)]
    assert {piece["status"] for piece in pieces_of(item)} == {"complete"}
    assert erp.get(item["uri"]).json()["status"] == "complete"
    assert erp.get(order["uri"]).json()["status"] == "complete"
    assert set(Run.objects.values_list("operation", "status")) == {("shipping", "complete")}


def test_complete_pieces_without_a_shipping_step_are_shipped(
    erp, confirm, order, pieces_of, print_run, send, ship, fulfilment
):
    printed = confirm(quantity=2, order=order)
    send(print_run(pieces_of(printed)), "in-progress", "complete")

    assert ship(status="shipped", carrier="DHL", tracking_number="7").status_code == 201

    assert fulfilment() == [(0, 0, 2)]
    assert erp.get(order["uri"]).json()["status"] == "complete"
    assert "DHL 7" in Message.objects.get(moment="shipped").text
    assert not Message.objects.filter(moment="completed").exists()  # it was replaced
    assert not Run.objects.filter(operation="shipping").exists()


def test_more_than_ready_is_refused(item, ship, fulfilment):
    assert refused(ship(item, 3)) == {("more-than-ready", "lines")}
    assert ship(item, 2).status_code == 201
    answer = ship(item, 1)

    assert refused(answer) == {("more-than-ready", "lines")}
    assert answer.json()["errors"][0]["details"]["ready"] == 0
    assert fulfilment() == [(0, 2, 0)]


def test_line_item_of_another_order_is_refused(confirm, sent_only, make, bureau, item, ship):
    other = make("order", bureau=bureau["uri"], name="Other")
    foreign = confirm(workflow=sent_only, order=other)

    assert refused(ship(foreign)) == {("not-allowed", "lines")}
    assert not Shipment.objects.exists()


def test_piece_that_fails_keeps_its_shipment_from_leaving(erp, item, ship, pieces_of):
    shipment = ship().json()
    piece = pieces_of(item)[0]
    Piece.objects.filter(pk=key_of(piece)).update(status="error")

    assert refused(erp.put(shipment["uri"], {"status": "shipped"})) == {("more-than-ready", None)}
    assert erp.get(shipment["uri"]).json()["status"] == "open"


def test_cancelled_shipment_gives_its_pieces_back(erp, item, ship, fulfilment):
    shipment = ship().json()

    assert erp.put(shipment["uri"], {"status": "cancelled"}).status_code == 204

    assert fulfilment() == [(2, 0, 0)]
    again = erp.put(shipment["uri"], {"status": "shipped"})
    assert refused(again) == {("illegal-transition", "status")}
    assert erp.delete(shipment["uri"]).status_code == 405


def test_shipped_shipment_is_not_cancelled_but_its_tracking_changes(erp, item, ship):
    shipment = ship(status="shipped", carrier="dpd", tracking_number="0123").json()

    assert shipment["moves"] == []
    answer = erp.put(shipment["uri"], {"status": "cancelled"})
    assert refused(answer) == {("illegal-transition", "status")}
    assert erp.put(shipment["uri"], {"tracking_number": "0124"}).status_code == 204
    url = erp.get(shipment["uri"]).json()["tracking_url"]
    assert url == "https://tracking.dpd.de/status/en_US/parcel/0124"


def test_tracking_url_of_its_own_stays_when_the_number_changes(erp, item, ship):
    own = "https://carrier.example/p/1"
    shipment = ship(carrier="UPS", tracking_number="1Z 9", tracking_url=own).json()
    assert shipment["tracking_url"] == own

    erp.put(shipment["uri"], {"tracking_number": "1Z 8"})
    assert erp.get(shipment["uri"]).json()["tracking_url"] == own

    erp.put(shipment["uri"], {"tracking_url": None})
    assert (
        erp.get(shipment["uri"]).json()["tracking_url"] == "https://www.ups.com/track?tracknum=1Z8"
    )


@pytest.mark.parametrize(
    "url",
    [
        "http://carrier.example/1",
        "javascript:alert(1)",
        "https://",
        "https://dhl.com@evil.example/",
        'https://carrier.example/"><script>',
        "https://[::1",
        "https://carrier.example/\u202e1",
    ],
)
def test_tracking_url_is_https(item, ship, url):
    assert refused(ship(tracking_url=url)) == {
        ("property-value-not-in-allowed-values", "tracking_url")
    }


def test_carriers_track_by_number():
    assert all(url.startswith("https://") and url.count("{}") == 1 for url in CARRIERS.values())
    assert tracking_url(" royal  MAIL", "AB 12/GB").endswith("/tracking-results/AB12%2FGB")
    assert tracking_url("By bike", "1") == tracking_url("DHL", " ") == ""


def test_address_is_frozen_when_it_is_shipped(erp, item, ship, order):
    shipment = ship(item, 1, status="shipped").json()
    erp.put(order["uri"], {"shipping": {"address": "Elsewhere"}})

    assert erp.get(shipment["uri"]).json()["address"].startswith("Kai Reimers")
    assert ship().json()["address"] is None


def test_resource_can_be_put_back_and_its_lines_never_change(erp, item, ship):
    shipment = ship().json()

    assert erp.put(shipment["uri"], erp.get(shipment["uri"]).json()).status_code == 204
    lines = [{"line_item": item["uri"], "quantity": 1}]
    assert refused(erp.put(shipment["uri"], {"lines": lines})) == {("cannot-set-property", "lines")}


def test_each_shipment_is_mailed_once_with_its_tracking(erp, item, ship):
    Message.objects.all().delete()

    ship(item, 1, status="shipped", carrier="DHL", tracking_number="00340434").json()
    ship(status="shipped", carrier="By bike")

    first, second = Message.objects.order_by("pk")
    assert first.moment == second.moment == "shipped"
    assert f"Tracking: DHL 00340434 {tracking_url('DHL', '00340434')}" in first.text
    assert "Pieces that follow later: 1" in first.text
    assert "Tracking: By bike\n" in second.text
    assert "follow later" not in second.text


def test_status_message_waits_for_the_shipment_of_a_complete_order(
    confirm, order, pieces_of, print_run, send, ship, erp
):
    item = confirm(quantity=2, order=order)
    run = print_run(pieces_of(item)[:1])
    send(run, "in-progress", "complete")
    first = ship().json()

    send(print_run(pieces_of(item)[1:]), "in-progress", "complete")

    assert Order.objects.get().status == "complete"
    assert not Message.objects.filter(moment="shipped").exists()
    erp.put(first["uri"], {"status": "shipped"})
    assert Message.objects.filter(moment="shipped").count() == 1


def test_event_has_the_tracking(erp, item, ship):
    shipment = ship(carrier="DHL", tracking_number="1").json()
    erp.put(shipment["uri"], {"status": "shipped"})

    (event,) = erp.get(f"{shipment['uri']}events/").json()["resources"]

    assert event["type"] == "shipment.shipped"
    assert callbacks.state_times(shipment["uri"]).keys() == {"shipped"}


def test_delivery_note_lists_a_shipment_without_prices(erp, item, ship, order, run_jobs):
    shipment = ship(item, 1, carrier="DHL", tracking_number="00340434").json()
    body = {"order": order["uri"], "type": "delivery-note", "shipment": shipment["uri"]}

    note = erp.post("/document/", body).json()
    run_jobs()

    assert note["number"].startswith("DN-")
    assert (note["net"], note["gross"], note["lines"][0]["quantity"]) == (None, None, 1)
    text = text_of(blobs.read(Document.objects.get().content_id))
    for part in (f"Delivery note {note['number']}", "Kai Reimers", "DHL", "00340434", "Quantity"):
        assert part in text
    for part in ("Amount", "Total", "on request", "€"):
        assert part not in text
    issued = erp.get(shipment["uri"]).json()["delivery_note"]
    assert (issued["uri"], issued["number"]) == (note["uri"], note["number"])
    assert "pdf" in issued["download"]
    assert refused(erp.post("/document/", body)) == {("document-issued", None)}


def test_delivery_note_needs_a_shipment_of_the_order(erp, make, bureau, item, ship, order):
    other = make("order", bureau=bureau["uri"], name="Other")
    shipment = ship().json()
    note = {"type": "delivery-note", "order": order["uri"]}

    assert refused(erp.post("/document/", note)) == {("missing-parameter", "shipment")}
    for wrong in ({"order": other["uri"]}, {"type": "quote"}):
        body = note | {"shipment": shipment["uri"]} | wrong
        assert refused(erp.post("/document/", body)) == {("not-allowed", "shipment")}
    erp.put(shipment["uri"], {"status": "cancelled"})
    answer = erp.post("/document/", note | {"shipment": shipment["uri"]})
    assert refused(answer) == {("shipment-cancelled", None)}
    assert not Document.objects.exists()


def test_members_ship_and_others_see_nothing(
    client_of, member, operator, person, item, ship, order
):
    shipment = ship(item, 1).json()

    assert client_of("erp", member).get(shipment["uri"]).status_code == 200
    body = {"order": order["uri"], "status": "shipped"}
    assert client_of("erp", member).post("/shipment/", body).status_code == 201


def test_others_neither_read_nor_create_shipments(client_of, stranger, item, ship, order):
    shipment = ship(item, 1).json()
    client: HostClient = client_of("erp", stranger)

    assert client.get(shipment["uri"]).status_code == 404
    assert client.put(shipment["uri"], {"status": "shipped"}).status_code == 404
    assert client.get("/shipment/").json()["resources"] == []
    assert client.post("/shipment/", {"order": order["uri"]}).status_code == 403
    assert Shipment.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_shipments_ship_no_piece_twice(client_of, person, item, order):
    answers = []

    def post(_: int) -> None:
        body = {"order": order["uri"], "status": "shipped"}
        lines = [{"line_item": item["uri"], "quantity": 1}]
        answer = client_of("erp", person).post("/shipment/", body | {"lines": lines})
        answers.append(answer.status_code)

    in_threads(post, 6)

    assert sorted(answers) == [201, 201, 409, 409, 409, 409]
    assert Order.objects.get().status == "complete"


def test_lines_of_a_shipment_are_fixed(erp, item, ship):
    shipment = ship().json()

    for lines in ([{"quantity": 1}], [{"line_item": item["uri"], "quantity": 1}]):
        answer = erp.put(shipment["uri"], {"lines": lines})
        assert answer.status_code == 400, answer.content
