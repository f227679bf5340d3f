"""The production queue: order of work, holds, builds; its board and its schedule."""

import html
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.console.domain.schedule import Axis, PlannedBuild
from apps.console.domain.work_queue import moved, new_positions
from apps.erp.models import Bureau, LineItem, Order, Piece, Place, Run
from core.keys import uuid7
from tests.console.visitor import PASSWORD, Browser, main_of, pack

HEAD = re.compile(r'<th scope="row">.*?<bdi>([^<]+)</bdi>', re.DOTALL)


@pytest.fixture
def waiting(confirmed) -> str:
    """The queue, in which three line items wait: cube, Clip, Hook; Hook has three pieces."""
    first = LineItem.objects.get()
    LineItem.objects.update(name="cube")
    step = first.pieces.first().step
    for name, count in (("Clip", 2), ("Hook", 3)):
        item = LineItem.objects.get(pk=first.pk)
        item.pk, item.name, item.quantity = uuid7(), name, count
        item.save(force_insert=True)
        for number in range(1, count + 1):
            Piece.objects.create(
                bureau=item.bureau,
                line_item=item,
                number=number,
                step=step,
                model_uri=item.model_uri,
            )
    return "/queue/"


def names(page) -> list[str]:
    """The line items of the table, from top to bottom."""
    return HEAD.findall(page.content.decode())


def row_of(page, name: str) -> dict[str, str]:
    """What a row sends: by verb, the value of its button; and `pieces`, that of its checkbox."""
    rows = re.findall(r"<tr data-item.*?</tr>", page.content.decode(), re.DOTALL)
    (row,) = (row for row in rows if f"<bdi>{name}</bdi>" in row)
    buttons = re.findall(r'name="do" value="(\w+)(:[^"]+)"', row)
    pieces = re.search(r'name="pieces" value="([^"]+)"', row)[1]
    return {verb: verb + key for verb, key in buttons} | {"pieces": pieces}


def press(browser: Browser, path: str, name: str, verb: str):
    """The page that follows a button of a row."""
    answer = browser.send(path, do=row_of(browser.get(path), name)[verb])
    assert (answer.status_code, answer["Location"]) == (303, path)
    return browser.get(path)


def test_rows_are_moved_by_their_buttons(ada, waiting):
    assert names(ada.get(waiting)) == ["cube", "Clip", "Hook"]

    assert names(press(ada, waiting, "Hook", "up")) == ["cube", "Hook", "Clip"]
    assert names(press(ada, waiting, "Clip", "top")) == ["Clip", "cube", "Hook"]
    assert names(press(ada, waiting, "Clip", "down")) == ["cube", "Clip", "Hook"]
    assert names(press(ada, waiting, "cube", "reset")) == ["Clip", "Hook", "cube"]


def test_dragged_row_comes_before_the_row_below_it(ada, waiting):
    page = ada.get(waiting)
    hook, cube = (row_of(page, name)["top"].partition(":")[2] for name in ("Hook", "cube"))

    ada.send(waiting, do=f"before:{hook}:{cube}")
    assert names(ada.get(waiting)) == ["Hook", "cube", "Clip"]
    ada.send(waiting, do=f"after:{hook}:{cube}")

    assert names(ada.get(waiting)) == ["cube", "Hook", "Clip"]


def test_build_leaves_out_line_items_on_hold_until_they_are_released(ada, shop, waiting):
    page = press(ada, waiting, "Clip", "hold")
    assert "Clip On hold" in main_of(page)
    assert "On hold 1" in main_of(page)
    assert "6 pieces" in main_of(page)  # of the suggested build
    selected = [row_of(page, name)["pieces"] for name in ("cube", "Clip")]

    refused = pack(ada, waiting, pieces=selected[1])
    path = pack(ada, waiting, pieces=selected)["Location"]

    assert refused.status_code == 400
    assert "The selected line items are on hold." in main_of(refused)
    run = Run.objects.get(pk=path.split("/")[2])
    assert {place.piece.line_item.name for place in run.places.all()} == {"cube"}
    assert names(ada.get(waiting)) == ["Clip", "Hook"]
    ada.send(waiting, do="release", pieces=selected[1])
    assert pack(ada, waiting, pieces=selected[1])["Location"] != path


def test_selected_line_items_are_held_and_moved_together(ada, waiting):
    page = ada.get(waiting)
    selected = [row_of(page, name)["pieces"] for name in ("Clip", "Hook")]

    ada.send(waiting, do="hold", pieces=selected)
    ada.send(waiting, do="top", pieces=selected)
    nothing = ada.send(waiting, do="top")

    assert names(ada.get(waiting)) == ["Clip", "Hook", "cube"]
    assert main_of(ada.get(waiting)).count("On hold 2") == 1
    assert nothing.status_code == 400
    assert "Select items." in main_of(nothing)


def test_queue_is_filtered_and_searched(ada, waiting):
    clip = LineItem.objects.get(name="Clip")
    order = Order.objects.get()
    late = datetime.now(UTC) - timedelta(days=1)
    order.pk, order.number, order.due_date = uuid7(), 0, late
    order.save(force_insert=True)
    LineItem.objects.filter(pk=clip.pk).update(order=order)

    page = ada.get(waiting)
    links = dict(re.findall(r'href="([^"]+)"[^>]*>(\w[\w ]*) <span>1<', page.content.decode()))

    assert names(page)[0] == "Clip"
    assert links == {"/queue/?show=late": "Late"}
    assert names(ada.get("/queue/?show=late")) == ["Clip"]
    assert names(ada.get("/queue/?q=%232")) == ["Clip"]
    assert names(ada.get("/queue/?q=hook")) == ["Hook"]
    assert "Nothing matches" in main_of(ada.get("/queue/?show=late&q=hook"))
    assert names(press(ada, "/queue/?q=k", "Hook", "top")) == ["Hook"]
    assert names(ada.get(waiting)) == ["Hook", "Clip", "cube"]


def test_suggested_build_selects_its_line_items(ada, waiting):
    shown = ada.get(waiting).content.decode()

    (path,) = (html.unescape(each) for each in re.findall(r'href="([^"]+select=all)"', shown))

    page = ada.get(path)
    assert names(page) == ["cube", "Clip", "Hook"]
    boxes = re.findall(r'<input [^>]*name="(\w+)"[^>]* checked', page.content.decode())
    assert boxes == ["some", "pieces", "pieces", "pieces"]  # as many as fit, of all three


def test_reader_sees_the_queue_without_controls(ada, shop, waiting, stranger, client_of, person):
    bureau = Bureau.objects.get()
    body = {"bureau": bureau.uri, "user": stranger.uri, "right": "material.all"}
    assert client_of("erp", person).post("/permission-bureau/", body).status_code == 201
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)
    item = row_of(ada.get(waiting), "Clip")["hold"]

    page = bob.get(shop)
    refused = bob.send(shop, do=item)

    assert names(page) == ["cube", "Clip", "Hook"]
    assert 'name="do"' not in page.content.decode()
    assert refused.status_code == 403
    assert not LineItem.objects.filter(hold=True).exists()


def test_board_and_schedule_follow_a_build(ada, shop, waiting, run_jobs):
    def columns() -> list[tuple[str, str]]:
        shown = ada.get("/queue/?view=board").content.decode()
        return re.findall(r'id="column-\d">([^<]+)</h2><span class="tag">(\d+)<', shown)

    path = pack(ada, waiting)["Location"]
    planned = columns()
    run_jobs()
    ada.send(path, action="start")

    assert planned[:3] == [("To plan", "2"), ("Planned", "1"), ("Printing", "0")]
    assert columns()[:3] == [("To plan", "2"), ("Planned", "0"), ("Printing", "1")]
    schedule = ada.get("/queue/?view=schedule").content.decode()
    assert f'<a class="quiet" href="{path}">' in schedule
    assert re.search(r'<rect class="o1" x="\d+" y="2" width="\d+"', schedule)


def test_only_line_items_before_the_last_moved_one_get_a_position():
    free = dict.fromkeys("abcde")

    assert new_positions(free, moved("abcde", {"c"}, "a")) == {"c": 1}
    assert new_positions(free, moved("abcde", {"a"}, "c")) == {"b": 1}
    assert new_positions(free, moved("abcde", {"b", "d"}, None)) == {"a": 1, "c": 2, "e": 3}
    by_hand = {"c": 1, **dict.fromkeys("abde")}
    assert new_positions(by_hand, moved("cabde", {"d"}, "c")) == {"d": 1, "c": 2}
    assert new_positions(free, "abcde") == {}


def test_bars_of_the_schedule_are_drawn_by_the_time():
    now = datetime(2026, 11, 27, 10, 30, tzinfo=UTC)
    hour = timedelta(hours=1)
    builds = [
        PlannedBuild("1", "/1/", now, now + 2 * hour, is_queued=False),
        PlannedBuild("2", "/2/", now + 2 * hour, now + 3 * hour, is_queued=True),
    ]

    axis = Axis.of(builds, now)

    assert [moment.hour for moment in axis.ticks] == list(range(10, 18))
    assert [(bar.x, bar.width) for bar in axis.bars(builds)] == [(62, 250), (312, 126)]


@pytest.mark.parametrize("view", ["", "board", "schedule"])
def test_hundred_pieces_take_as_many_statements_as_ten(ada, waiting, run_jobs, view):
    pack(ada, waiting)
    run_jobs()
    build, first = Run.objects.get(), LineItem.objects.get(name="Clip")
    step, order = first.pieces.first().step, first.order

    def place(count: int) -> None:
        """Add orders of one piece each, of other materials; every third waits in a build."""
        for number in range(count):
            first.base_material.pk, first.base_material.name = uuid7(), f"Material {number}"
            first.base_material.save(force_insert=True)
            order.pk, order.number = uuid7(), 0
            order.save(force_insert=True)
            first.pk, first.order, first.base_material = uuid7(), order, first.base_material
            first.save(force_insert=True)
            values = {"bureau": first.bureau, "line_item": first, "model_uri": first.model_uri}
            piece = Piece.objects.create(number=1, step=step, **values)
            if number % 3 == 0:
                build.pk, build.status = uuid7(), "queued"
                build.save(force_insert=True)
                piece.place = Place.objects.create(run=build, piece=piece, step=step, position=0)
                piece.status = "queued"
                piece.save()

    def statements() -> list[str]:
        with CaptureQueriesContext(connection) as context:
            page = ada.get(f"/queue/?view={view}")
        assert page.status_code == 200
        texts = [each["sql"] for each in context]
        # A list that ends with its first page is not counted.
        return [text for text in texts if not text.startswith("SELECT COUNT(*) FROM (SELECT")]

    place(10)
    statements()
    of_ten = statements()

    place(90)

    assert len(statements()) == len(of_ten)
