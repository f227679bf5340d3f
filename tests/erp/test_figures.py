"""Key figures of a bureau: what they count, who sees the amounts, and how they are found."""

import itertools
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.erp.models import Attempt, LineItem, Material, Order, Piece, Printer, Quote, Run
from apps.users.models import User
from tests.erp.conftest import key_of


def figures(client, bureau: dict) -> dict:
    answer = client.get(f"{bureau['uri']}figures/")
    assert answer.status_code == 200, answer.json()
    return answer.json()


@pytest.fixture
def ago():
    now = timezone.now()
    return lambda **span: now - timedelta(**span)


@pytest.fixture
def print_attempt(print_run, pieces_of, confirm, printer):
    """`print_attempt("printing", began=...)`: a print of one piece."""

    def made(status: str, **fields) -> Attempt:
        run = Run.objects.get(pk=key_of(print_run(pieces_of(confirm(quantity=1)))))
        return Attempt.objects.create(
            bureau=run.bureau,
            run=run,
            printer=Printer.objects.get(pk=key_of(printer)),
            name=f"{run.pk}.gcode",
            status=status,
            creator=run.creator,
            **fields,
        )

    return made


def test_figures_of_a_new_bureau_are_empty(erp, bureau):
    result = figures(erp, bureau)

    weeks = result.pop("sales")
    assert [week["net"] for week in weeks] == [0] * 12
    assert result == {
        "bureau": bureau["uri"],
        "currency": "EUR",
        "quotes": {"count": 0, "total": 0},
        "on_time": {"due": 0, "late": 0, "share": None},
        "utilisation": {"printers": 0, "printing_seconds": 0, "share": None},
        "scrap": {"finished": 0, "rejected": 0, "share": None},
        "orders": {"new": 0, "confirmed": 0, "in-progress": 0, "complete": 0, "cancelled": 0},
        "waiting_printers": 0,
    }


def test_sales_are_the_net_amounts_of_confirmed_line_items_by_week(erp, bureau, confirm, ago):
    priced, at_cost, old, older, cancelled, _pending = (confirm() for _ in range(6))
    sold = {"price": {"net": 100.1}, "estimates": {"cost": {"amount": 7}}}
    for item in (priced, old, older):
        LineItem.objects.filter(pk=key_of(item)).update(**sold)
    LineItem.objects.filter(pk=key_of(at_cost)).update(estimates={"cost": {"amount": 7}})
    LineItem.objects.filter(pk=key_of(cancelled)).update(status="cancelled", **sold)
    Piece.objects.filter(line_item=key_of(old)).update(created=ago(weeks=2))
    Piece.objects.filter(line_item=key_of(older)).update(created=ago(weeks=13))

    weeks = figures(erp, bureau)["sales"]

    monday = timezone.now().date() - timedelta(days=timezone.now().weekday())
    assert [week["week"] for week in weeks] == [
        (monday - timedelta(weeks=n)).isoformat() for n in range(11, -1, -1)
    ]
    assert [week["net"] for week in weeks] == [0] * 9 + [100.1, 0, 107.1]


def test_sales_of_a_clock_that_is_ahead_count_for_this_week(erp, bureau, confirm, ago):
    item = confirm()
    price = {"net": 12, "currency": "EUR", "terms": []}
    LineItem.objects.filter(pk=key_of(item)).update(price=price)
    Piece.objects.update(created=ago(weeks=-1))

    assert figures(erp, bureau)["sales"][-1]["net"] == 12


def test_amounts_in_other_currencies_are_converted(erp, make, bureau, person, confirm, ago):
    make("currency-conversion", bureau=bureau["uri"], currency="USD", value=1.25)
    order = make("order", bureau=bureau["uri"], name="Gear", currency="USD")
    item = confirm(order=order)
    LineItem.objects.filter(pk=key_of(item)).update(price={"net": 100})
    row = Order.objects.get(pk=key_of(order))
    made = {"bureau": row.bureau, "order": row, "creator": person, "currency": "USD"}
    Quote.objects.create(amount=50, expires=ago(days=-3), **made)
    Quote.objects.create(
        amount=70,
        expires=ago(days=3),
        **made | {"order": Order.objects.create(bureau=row.bureau, name="Cog", creator=person)},
    )

    result = figures(erp, bureau)

    assert result["sales"][-1]["net"] == 80
    assert result["quotes"] == {"count": 1, "total": 40}


def test_amounts_need_the_right_to_prices(client_of, bureau, member):
    result = figures(client_of("erp", member), bureau)

    assert result["sales"] is None
    assert result["quotes"] == {"count": 0, "total": None}


def test_figures_of_another_bureau_are_hidden(client_of, bureau, stranger):
    assert client_of("erp", stranger).get(f"{bureau['uri']}figures/").status_code == 404


def test_orders_are_late_that_were_not_complete_when_due(
    erp, make, bureau, confirm, pieces_of, print_run, ago
):
    def order_of(status: str, due: dict, finished: dict | None = None) -> None:
        order = make("order", bureau=bureau["uri"], name="Gear")
        if finished:
            pieces = pieces_of(confirm(quantity=1, order=order))
            run = print_run(pieces)
            Run.objects.filter(pk=key_of(run)).update(finished=ago(**finished))
            Piece.objects.filter(pk=key_of(pieces[0])).update(status="complete")
        Order.objects.filter(pk=key_of(order)).update(status=status, due_date=ago(**due))

    order_of("complete", {"days": 2}, {"days": 3})
    order_of("complete", {"days": 2}, {"days": 1})
    order_of("in-progress", {"days": 2})
    order_of("in-progress", {"days": -2})
    order_of("confirmed", {"days": 31})
    order_of("new", {"days": 2})
    order_of("cancelled", {"days": 2})

    result = figures(erp, bureau)

    assert result["on_time"] == {"due": 3, "late": 2, "share": 0.3333}
    assert result["orders"] == {
        "new": 1,
        "confirmed": 1,
        "in-progress": 2,
        "complete": 2,
        "cancelled": 1,
    }


def test_utilisation_counts_print_time_of_the_last_seven_days(erp, bureau, print_attempt, ago):
    ends = {"began": ago(days=3), "ended": ago(days=2)}
    print_attempt("done", printing_seconds=3600.0, **ends)
    print_attempt("done", printing_seconds=7200.0, began=ago(days=7, hours=1), ended=ago(days=7))
    print_attempt("done", printing_seconds=7200.0, began=ago(days=7, hours=1), ended=ago(hours=167))
    print_attempt(
        "printing", printing_seconds=600.0, began=ago(hours=2), printing_since=ago(hours=1)
    )

    result = figures(erp, bureau)["utilisation"]

    assert result["printers"] == 1
    assert result["printing_seconds"] == pytest.approx(3600 + 3600 + 4200, abs=30)
    assert result["share"] == pytest.approx(result["printing_seconds"] / (7 * 86400), abs=1e-4)


def test_scrap_is_the_share_of_rejected_pieces_of_thirty_days(erp, bureau, confirm, pieces_of, ago):
    pieces = [key_of(piece) for piece in pieces_of(confirm(quantity=5))]
    Piece.objects.filter(pk__in=pieces[:3]).update(status="complete")
    Piece.objects.filter(pk=pieces[3]).update(status="error")
    Piece.objects.filter(pk=pieces[2]).update(updated=ago(days=31))

    assert figures(erp, bureau)["scrap"] == {
        "finished": 3,
        "rejected": 1,
        "share": 0.3333,
    }


def test_printers_wait_for_a_person_when_halted_or_not_cleared(
    erp, bureau, printer, print_attempt, ago
):
    def waiting(**fields) -> int:
        Printer.objects.filter(pk=key_of(printer)).update(**fields)
        return figures(erp, bureau)["waiting_printers"]

    assert waiting() == 0  # of which nothing is known
    assert waiting(driver="manual", plate="occupied") == 1
    assert waiting(maintenance=True) == 0
    assert waiting(maintenance=False, plate="clear") == 0
    attempt = print_attempt("planned")
    assert waiting() == 1
    assert waiting(driver="octoprint") == 0
    Attempt.objects.filter(pk=attempt.pk).update(status="printing", began=ago(hours=1))
    assert waiting(plate="occupied") == 0
    Attempt.objects.filter(pk=attempt.pk).update(status="paused")
    assert waiting() == 1


def indexes_of(plan: dict) -> set[str]:
    """The indexes that a plan uses; a table that it reads from end to end is none."""
    below = (indexes_of(each) for each in plan.get("Plans", ()))
    return {plan["Index Name"]}.union(*below) if "Index Name" in plan else set().union(*below)


def test_figures_take_a_bounded_part_of_a_large_bureau(erp, make, bureau, person):
    (row,) = Order.objects.filter(pk=key_of(make("order", bureau=bureau["uri"], name="1")))
    old = timezone.now() - timedelta(days=400)
    made = {"bureau": row.bureau, "creator": person}
    items = [LineItem(order=row, status="complete", price={"net": 1}, **made) for _ in range(3000)]
    LineItem.objects.bulk_create(items, batch_size=1000)
    pieces = [Piece(bureau=row.bureau, line_item=item, number=1) for item in items]
    Piece.objects.bulk_create(pieces, batch_size=1000)
    Piece.objects.update(status="complete", created=old, updated=old)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE erp_piece, erp_lineitem, erp_order")
    with CaptureQueriesContext(connection) as queries:
        figures(erp, bureau)

    about = [q["sql"] for q in queries if "erp_piece" in q["sql"]]
    used: set[str] = set()
    with connection.cursor() as cursor:
        for query in about:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {query}")
            used |= indexes_of(cursor.fetchone()[0][0]["Plan"])
    assert len(about) == 3
    assert len(queries) <= 20
    assert {"piece_first", "piece_updated"} <= used


def test_open_work_is_counted_up_to_a_hundred(erp, make, bureau, confirm, printer, person):
    def counts() -> dict:
        answer = erp.get(f"{bureau['uri']}open-counts/")
        assert answer.status_code == 200, answer.json()
        return answer.json()

    empty = counts()
    confirm(quantity=3)
    make("order", bureau=bureau["uri"], name="New")
    Material.objects.create(bureau_id=key_of(bureau), name="PLA", stock_level="low")
    Printer.objects.filter(pk=key_of(printer)).update(driver="manual", plate="occupied")
    some = counts()
    number = itertools.count(10)
    Order.objects.bulk_create(
        Order(bureau_id=key_of(bureau), name="Another", number=next(number), creator=person)
        for _ in range(150)
    )

    uri = bureau["uri"]
    none = {"line_items": 0, "printers": 0, "orders": 0, "materials": 0}
    assert empty == {"bureau": uri, **none}
    assert some == {"bureau": uri, **dict.fromkeys(none, 1)}
    assert counts()["orders"] == 100


def test_open_work_is_shown_to_readers_of_the_bureau_only(client_of, bureau, member, operator):
    for user, status in ((member, 200), (operator, 200)):
        assert client_of("erp", user).get(f"{bureau['uri']}open-counts/").status_code == status
    other = client_of("erp", User.objects.create_user("eve", "eve@example.com", "x"))
    assert other.get(f"{bureau['uri']}open-counts/").status_code == 404
