"""From any resource to all that it came from, and to all that came of it."""

import csv
import io
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.erp.models import Bureau as BureauRow
from apps.erp.models import LineItem, Order, Piece, Place, Run
from apps.erp.traceability.services import trace as service
from apps.integrations.models import Operation, Service
from apps.payment import interface as payment
from apps.slicing.models import Config, Slice
from apps.users import interface as users
from apps.warehouse.models import Model
from core.uris import keys_of


@pytest.fixture
def story(person, bureau, printer, make, client_of, payer, price):
    """A healed file, two orders of it in one run, and what that cost."""
    payer(person)
    price(12, namespace="erp", action="run")
    consent = {"namespace": "erp", "action": "run", "consented": True, "user_uri": person.uri}
    client_of("payment", person).post("/consent/", consent)
    draft = {"engine": "slic3r", "parameters": {"print_quality": "low"}}
    config = client_of("slicing", person).post("/config/curated/", draft).json()["uri"]
    scan = Model.objects.create(owner=person, name="scan")
    healed = Model.objects.create(owner=person, name="healed")
    healed.parents.add(scan)
    mender = Service.objects.create(name="Mender", type="model-healing", creator=person)
    operation = Operation.objects.create(
        owner=person,
        service=mender,
        model_uri=scan.uri,
        parameters={},
        status="complete",
        result_uri=healed.uri,
    )
    material = make("material", bureau=bureau["uri"], name="PA 12")["uri"]
    row = BureauRow.objects.get(pk=keys_of(bureau["uri"], "bureau")[0])
    users.grant(
        actor=person,
        holder=users.group_uri(row.group),
        namespace="models",
        object=healed.uri,
        right="read",
    )
    slice = Slice.objects.create(
        owner=person,
        model_uri=healed.uri,
        config=Config.objects.get(pk=keys_of(config, "config")[0]),
    )
    run = Run.objects.create(
        bureau=row,
        name="Monday",
        printer_id=keys_of(printer["uri"], "printer")[0],
        config_uri=config,
        slice_uri=slice.uri,
        creator=person,
    )
    made = {}
    for name in ("Hinges", "Handles"):
        order = Order.objects.create(
            bureau=row, name=name, customer_name=f"{name} Ltd", creator=person
        )
        line_item = LineItem.objects.create(
            bureau=row,
            order=order,
            name=name,
            model_uri=healed.uri,
            quantity=2,
            base_material_id=keys_of(material, "material")[0],
            creator=person,
        )
        pieces = [
            Piece.objects.create(
                bureau=row,
                line_item=line_item,
                number=number,
                model_uri=healed.uri,
                config_uri=config,
            )
            for number in (1, 2)
        ]
        Place.objects.create(run=run, piece=pieces[0], position=len(made))
        made[name] = SimpleNamespace(order=order, line_item=line_item, pieces=pieces)
    for source, action in ((run.uri, ("erp", "run")), (slice.uri, ("slicing", "slice"))):
        payment.authorise(owner=person, namespace=action[0], action=action[1], source=source)
        payment.record(source=source)
    charges = {each.source: each.uri for each in payment.charges_of(
        sources=[run.uri, slice.uri], user=person
    )}  # fmt: skip
    return SimpleNamespace(
        **{name.lower(): kept for name, kept in made.items()},
        scan=scan.uri,
        healed=healed.uri,
        operation=operation.uri,
        mender=mender.uri,
        config=config,
        slice=slice.uri,
        run=run.uri,
        printer=printer["uri"],
        material=material,
        charges=charges,
        invoice=client_of("payment", person).get("/invoice/").json()["resources"][0]["uri"],
    )


@pytest.fixture
def traced(erp):
    """`traced(uri)`: the answer."""

    def ask(uri: str, client=erp) -> dict:
        answer = client.get("/trace/", {"uri": uri})
        assert answer.status_code == 200, answer.json()
        return answer.json()

    return ask


def uris_in(answer: dict) -> set[str]:
    return {node["uri"] for node in answer["nodes"]}


def everything_of(part: SimpleNamespace, story: SimpleNamespace) -> set[str]:
    """What belongs to the first piece of an order, in any direction."""
    return {
        part.order.uri,
        part.line_item.uri,
        part.pieces[0].uri,
        story.run,
        story.printer,
        story.material,
        story.config,
        story.slice,
        story.healed,
        *story.charges.values(),
        story.invoice,
    }


def test_trace_of_a_piece_contains_file_config_run_order_and_charges(traced, story):
    part = story.hinges

    found = traced(part.pieces[0].uri)

    origins = {story.scan, story.operation, story.mender}
    assert uris_in(found) == everything_of(part, story) | origins
    assert found["truncated"] is False
    assert found["chain"] == {
        "file": [story.healed],
        "settings": [story.config],
        "part": [part.pieces[0].uri],
        "run": [story.run],
        "order": [part.order.uri],
        "money": [*story.charges.values(), story.invoice],
    }
    links = {(link["from"], link["relation"], link["to"]) for link in found["links"]}
    assert {
        (story.scan, "parent-of", story.healed),
        (story.scan, "input-of", story.operation),
        (story.operation, "maker-of", story.healed),
        (story.healed, "model-of", part.line_item.uri),
        (part.order.uri, "order-of", part.line_item.uri),
        (part.line_item.uri, "line-item-of", part.pieces[0].uri),
        (story.run, "run-of", part.pieces[0].uri),
        (story.run, "sliced-as", story.slice),
        (story.run, "charged-as", story.charges[story.run]),
        (story.charges[story.run], "invoiced-on", story.invoice),
    } <= links


def test_trace_node_has_kind_name_status_and_facts(traced, story):
    nodes = {node["uri"]: node for node in traced(story.hinges.pieces[0].uri)["nodes"]}

    order = nodes[story.hinges.order.uri]
    assert (order["kind"], order["name"], order["status"]) == ("order", "Hinges", "new")
    assert order["facts"]["customer_name"] == "Hinges Ltd"
    piece = nodes[story.hinges.pieces[0].uri]
    assert (piece["facts"]["number"], piece["facts"]["quantity"]) == (1, 2)
    charge = nodes[story.charges[story.run]]
    assert (charge["facts"]["amount"], charge["facts"]["currency"]) == (12.0, "EUR")


@pytest.mark.parametrize("kind", ["run", "config", "slice", "scan", "operation", "invoice"])
def test_trace_of_a_shared_resource_leads_to_all_its_orders(traced, story, kind):
    found = uris_in(traced(getattr(story, kind)))

    printed = {part.pieces[0].uri for part in (story.hinges, story.handles)}
    orders = {story.hinges.order.uri, story.handles.order.uri}
    assert printed | orders | {story.run, story.printer, story.invoice} <= found


def test_trace_of_an_order_contains_only_its_own_pieces(traced, story):
    part = story.handles

    found = uris_in(traced(part.order.uri))

    assert found == everything_of(part, story) | {part.pieces[1].uri}


def test_trace_hides_nodes_the_user_cannot_read(traced, story, client_of, member):
    somebody = client_of("erp", member)

    found = uris_in(traced(story.hinges.pieces[0].uri, somebody))

    part = story.hinges
    assert found == {
        part.order.uri,
        part.line_item.uri,
        part.pieces[0].uri,
        story.run,
        story.printer,
        story.material,
        story.healed,  # shared with the bureau; the scan, the slice and the money are not
    }
    assert somebody.get("/trace/", {"uri": story.scan}).status_code == 404


def test_trace_of_unreadable_and_unknown_uris_is_not_found(erp, story, client_of, stranger):
    piece = story.hinges.pieces[0].uri
    nothing = piece.replace(str(story.hinges.pieces[0].pk), "0195b3a0-0000-7000-8000-000000000000")

    unread = client_of("erp", stranger).get("/trace/", {"uri": piece})
    answers = [
        unread,
        *(erp.get("/trace/", {"uri": uri}) for uri in (nothing, "piece", "http://a/")),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404, 404]


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ({}, "missing-parameter", "uri"),
        ({"uri": ""}, "missing-parameter", "uri"),
        ({"uri": "x", "depth": "2"}, "request-validation-error", "depth"),
    ],
)
def test_trace_takes_one_uri_and_no_other_parameter(erp, query, code, field):
    answer = erp.get("/trace/", query)

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == (code, field)


def test_trace_query_count_is_independent_of_piece_count(traced, story, person):
    line_item = story.hinges.line_item
    with CaptureQueriesContext(
        connection,
    ) as few:
        traced(story.hinges.order.uri)

    Piece.objects.bulk_create(
        Piece(bureau_id=line_item.bureau_id, line_item=line_item, number=number)
        for number in range(3, 300)
    )
    with CaptureQueriesContext(connection) as many:
        found = traced(story.hinges.order.uri)

    assert len([node for node in found["nodes"] if node["kind"] == "piece"]) == 299
    assert len(many) == len(few)


def test_trace_is_truncated_at_its_node_limit(traced, story, monkeypatch):
    monkeypatch.setattr(service, "MAX_NODES", 5)

    found = traced(story.run)

    assert (len(found["nodes"]), found["truncated"]) == (5, True)


# ---------------------------------------------------------------- recall


def recalled(client, **query) -> set[str]:
    answer = client.get("/recall/", query)
    assert answer.status_code == 200, answer.json()
    found = answer.json()
    assert found["meta"]["count"] == len(found["resources"])
    return {row["uri"] for row in found["resources"]}


def test_recall_finds_pieces_by_each_cause(erp, story):
    both = [*story.hinges.pieces, *story.handles.pieces]
    printed = {part.pieces[0].uri for part in (story.hinges, story.handles)}
    every = {piece.uri for piece in both}

    assert recalled(erp, run=story.run) == printed
    assert recalled(erp, printer=story.printer) == printed
    assert recalled(erp, material=story.material) == every
    assert recalled(erp, config=story.config) == every
    assert recalled(erp, model=story.healed) == every
    assert recalled(erp, model=story.scan) == every
    assert recalled(erp, model=story.scan, run=story.run) == printed


def test_recall_by_config_follows_slices_of_runs_and_line_items(erp, story):
    first, second = story.hinges.pieces
    Piece.objects.update(config_uri=None)
    Run.objects.update(config_uri=None)
    LineItem.objects.filter(pk=story.handles.line_item.pk).update(slice_uri=story.slice)

    found = recalled(erp, config=story.config)

    assert found == {first.uri, *(piece.uri for piece in story.handles.pieces)}
    assert second.uri not in found


def test_recall_by_packed_model_finds_the_pieces_of_its_run(erp, story, person):
    packed = Model.objects.create(owner=person, name="packed")
    Run.objects.update(model_uri=packed.uri)

    assert recalled(erp, model=packed.uri) == recalled(erp, run=story.run)


def test_recalled_piece_has_its_order_and_customer(erp, story):
    (row,) = erp.get(
        "/recall/", {"run": story.run, "filter[order]": story.hinges.order.uri}
    ).json()["resources"]

    assert (row["order_name"], row["customer_name"]) == ("Hinges", "Hinges Ltd")
    assert (row["number"], row["quantity"], row["status"]) == (1, 2, "created")


def test_recall_csv_escapes_formulas(erp, story):
    Order.objects.filter(pk=story.hinges.order.pk).update(customer_name='=HYPERLINK("http://a")')

    answer = erp.get("/recall/", {"run": story.run, "format": "csv", "sort": "created"})

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    lines = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [line["customer_name"] for line in lines] == [
        '\'=HYPERLINK("http://a")',
        "Handles Ltd",
    ]
    assert [line["number"] for line in lines] == ["1", "1"]


def test_recall_hides_pieces_of_other_bureaus(story, client_of, stranger, person):
    somebody = client_of("erp", stranger)
    users.grant(
        actor=person,
        holder=stranger.uri,
        namespace="slicing",
        object=story.config,
        right="read",
    )

    assert recalled(somebody, config=story.config) == set()


@pytest.mark.parametrize("cause", ["config", "model", "printer", "material", "run"])
def test_recall_rejects_a_cause_the_user_cannot_read(story, client_of, stranger, cause):
    uri = story.scan if cause == "model" else getattr(story, cause)

    answer = client_of("erp", stranger).get("/recall/", {cause: uri})

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == ("resource-not-found", cause)


@pytest.mark.parametrize("query", [{}, {"format": "csv"}])
def test_recall_requires_a_cause(erp, query):
    answer = erp.get("/recall/", query)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "missing-parameter"
