"""The operators' pages of what is made: from orders to runs."""

import json
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.erp.models import Bureau, LineItem, Order, Piece, Place, Run
from apps.warehouse.models import Model
from core.models import Blob
from core.uris import keys_of


@pytest.fixture
def pages(operator) -> Client:
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    return client


@pytest.fixture
def act(pages) -> Callable[..., list[str]]:
    """`act("order", "confirm", row)`: the messages that the action leaves."""

    def send(page: str, action: str, *rows) -> list[str]:
        body = {"action": action, "_selected_action": [str(row.pk) for row in rows]}
        answer = pages.post(f"/erp/{page}/", body, follow=True)
        return [str(message) for message in answer.context["messages"]]

    return send


@pytest.fixture
def order(make, bureau, run_jobs) -> Order:
    """An order of two line items, which are estimated."""
    uri = make("order", bureau=bureau["uri"], name="Gate 7", customer_name="Gates Ltd")["uri"]
    for name, quantity in (("Hinge", 2), ("Handle", 1)):
        make("line-item", bureau=bureau["uri"], order=uri, name=name, quantity=quantity,
             no_model_upload=True)  # fmt: skip
    run_jobs()
    return Order.objects.get()


@pytest.fixture
def confirmed(order, act) -> Order:
    act("order", "confirm", order)
    order.refresh_from_db()
    return order


@pytest.fixture
def run(confirmed, person, printer) -> Run:
    """A run of all pieces, packed."""
    made = Run.objects.create(
        bureau=confirmed.bureau,
        name="Monday",
        status=Run.Status.CALCULATED,
        printer_id=keys_of(printer["uri"], "printer")[0],
        report={"density": 0.25, "packer": "box_packer"},
        creator=person,
    )
    for position, piece in enumerate(Piece.objects.order_by("pk")):
        place = Place.objects.create(run=made, piece=piece, position=position)
        Piece.objects.filter(pk=piece.pk).update(place=place, status=Piece.Status.QUEUED)
    return made


def test_admin_confirms_an_order_with_all_its_line_items(act, order):
    said = act("order", "confirm", order)

    assert said == ["2 now confirmed."]
    assert Piece.objects.count() == 3
    assert Order.objects.get().status == "confirmed"


def test_admin_reports_a_rejected_action_and_changes_nothing(act, run):
    hinge = LineItem.objects.get(name="Hinge")

    said = act("lineitem", "cancel", hinge)

    assert len(said) == 2
    assert said[0].startswith(f"Hinge: The line-item {hinge.uri} ")
    assert said[1] == "0 now cancelled."
    assert Piece.objects.filter(status="queued").count() == 3


def test_admin_cancels_an_order_with_its_pieces(act, confirmed):
    assert act("order", "cancel", confirmed) == ["2 now cancelled."]
    assert set(Piece.objects.values_list("status", flat=True)) == {"cancelled"}
    assert Order.objects.get().status == "cancelled"


def test_admin_completes_a_run_and_its_order(act, run):
    for action in ("queue", "start", "complete"):
        act("run", action, run)

    run.refresh_from_db()
    assert run.status == "complete"
    assert Order.objects.get().status == "complete"
    assert act("run", "start", run)[1] == "0 now in-progress."


def test_admin_replaces_a_failed_piece(act, run):
    act("run", "start", run)
    broken, *_ = Piece.objects.order_by("pk")

    said = act("piece", "fail", broken)

    assert said == ["1 to be made again."]
    replica = Piece.objects.get(replica_of=broken)
    assert (replica.status, replica.line_item_id) == ("created", broken.line_item_id)


def test_admin_enqueues_packing_again_for_a_run_stuck_in_calculating(act, run, queued):
    Run.objects.update(status=Run.Status.CALCULATING)

    act("run", "pack_again", run)

    sent = [json.loads(words) for name, words in queued() if name == "pack_run"]
    assert sent == [[str(run.pk)]]


def test_admin_does_not_enqueue_packing_for_a_packed_run(act, run, queued):
    assert act("run", "pack_again", run) == ["0 sent to packing."]
    assert "pack_run" not in dict(queued())


def test_admin_order_page_links_to_its_line_items_and_pieces(pages, run):
    order, hinge = Order.objects.get(), LineItem.objects.get(name="Hinge")

    page = pages.get(f"/erp/order/{order.pk}/change/").content.decode()

    assert f'<a href="/erp/lineitem/{hinge.pk}/change/">Hinge</a>' in page
    assert f'<a href="/erp/piece/?line_item={hinge.pk}">pieces</a>' in page
    found = pages.get(f"/erp/piece/?line_item={hinge.pk}")
    assert found.context["cl"].result_count == 2


def test_admin_run_page_shows_its_placements_report_and_snapshot(pages, run, person):
    picture = Blob.objects.create(sha256="a" * 64, size=1)
    packed = Model.objects.create(owner=person, name="packed", picture=picture)
    Run.objects.update(model_uri=packed.uri)
    first = Piece.objects.order_by("pk").first()

    page = pages.get(f"/erp/run/{run.pk}/change/").content.decode()

    assert f'<a href="/erp/piece/{first.pk}/change/">' in page
    assert "<th>density</th><td>0.25</td>" in page
    assert f"files.platform.test/content/{'a' * 64}" in page


@pytest.mark.parametrize("page", ["order", "product", "lineitem", "piece", "run", "quote"])
def test_admin_lists_can_be_filtered_and_searched(pages, run, page):
    for query in ("", "?q=gate", f"?q={run.pk}"):
        assert pages.get(f"/erp/{page}/{query}").status_code == 200


@pytest.mark.parametrize("page", ["order", "lineitem", "piece", "run"])
def test_admin_list_query_count_is_independent_of_row_count(pages, run, person, page):
    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert pages.get(f"/erp/{page}/").status_code == 200
        return len(asked)

    more(run, person, range(10, 12))
    statements()  # the first one reads what is then known
    short = statements()
    more(run, person, range(12, 30))

    assert statements() == short


@pytest.mark.parametrize("page", ["order", "lineitem", "run"])
def test_admin_change_page_query_count_is_independent_of_related_rows(pages, run, person, page):
    item = LineItem.objects.get(name="Hinge")
    of = {"order": item.order, "lineitem": item, "run": run}[page]

    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert pages.get(f"/erp/{page}/{of.pk}/change/").status_code == 200
        return len(asked)

    more(run, person, range(10, 12))
    statements()  # the first one reads what is then known
    short = statements()
    more(run, person, range(12, 30))

    assert statements() == short


def more(run: Run, person, numbers: range) -> None:
    """More of everything: orders, line items, pieces and runs."""
    item = LineItem.objects.select_related("order").get(name="Hinge")
    bureau = Bureau.objects.get()
    for number in numbers:
        picture = Blob.objects.create(sha256=f"{number}" * 32, size=1)
        model = Model.objects.create(owner=person, name="part", picture=picture)
        order = Order.objects.create(bureau=bureau, name=f"Order {number}", creator=person)
        for of in (order, item.order):
            LineItem.objects.create(bureau=bureau, order=of, model_uri=model.uri, creator=person)
        piece = Piece.objects.create(bureau=bureau, line_item=item, number=number)
        further = Run.objects.create(bureau=bureau, name=f"Run {number}", creator=person)
        Place.objects.create(run=further, piece=piece, position=0)
        place = Place.objects.create(run=run, piece=piece, position=number)
        Piece.objects.filter(pk=piece.pk).update(place=place)
