"""Random histories of line items, pieces and runs, against a small model of their states."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from django.db import transaction

from apps.erp.models import LineItem, Order, Piece, PostProcessor, PrinterType, Run, Shipping
from apps.erp.orders.services import line_items
from apps.erp.production.services import pieces, runs
from core.errors import ServiceError
from tests.erp.conftest import key_of
from tests.erp.test_states import PIECE, PIECE_AT_ITS_LAST_STEP, RUN


@dataclass(eq=False)
class APiece:
    """The model's piece: `at` counts the steps that it is through with; `runs` it went through."""

    item: "AnItem"
    status: str = "created"
    at: int = 0
    runs: list["ARun"] = field(default_factory=list)

    @property
    def operation(self) -> str:
        return self.item.steps[self.at]


@dataclass(eq=False)
class AnItem:
    steps: list[str]
    quantity: int
    ordered: bool
    row: LineItem
    status: str = "pending"
    pieces: list[APiece] = field(default_factory=list)


@dataclass(eq=False)
class ARun:
    operation: str
    pieces: list[APiece]
    row: Run
    status: str = "calculated"
    started: bool = False


def follow(item: AnItem) -> None:
    """A line item is where the least advanced of its pieces is at work."""
    if item.status in ("pending", "cancelled", "complete"):
        return
    alive = [piece for piece in item.pieces if piece.status not in ("error", "cancelled")]
    at_work = {piece.operation for piece in alive if piece.status == "in-progress"}
    done = [piece for piece in alive if piece.status == "complete"]
    waiting = [piece for piece in alive if piece.status in ("created", "queued")]
    if len(done) >= item.quantity:
        item.status = "complete"
    elif item.status in ("confirmed", "queued") and not at_work and not done:
        queued = any(piece.status == "queued" for piece in alive)
        item.status = "queued" if queued else "confirmed"
    elif "printing" in at_work or any(piece.operation == "printing" for piece in waiting):
        item.status = "printing"
    elif at_work:
        item.status = min(at_work, key=["post-processing", "shipping"].index)


def state_of_order(items: list[AnItem]) -> str:
    states = [item.status for item in items if item.status != "cancelled"]
    if not states:
        return "cancelled"
    if set(states) == {"complete"}:
        return "complete"
    if set(states) - {"pending", "confirmed"}:
        return "in-progress"
    return "confirmed" if "confirmed" in states else "new"


def go_on(piece: APiece, to: str) -> None:
    """The piece's part of a move that is allowed."""
    piece.status = to
    if to == "created":
        piece.at += 1
    if to == "error":
        piece.item.pieces.append(APiece(piece.item))


def next_of(piece: APiece) -> str:
    return "created" if piece.at + 1 < len(piece.item.steps) else "complete"


class History:
    """One bureau's random days, each step made in the model and over the services."""

    def __init__(self, random: Random, actor: Any, items: list[AnItem], doers: dict[str, Any]):
        self.random, self.actor, self.items, self.doers = random, actor, items, doers
        self.runs: list[ARun] = []
        self.made = 0

    def step(self) -> None:
        acts: list[Callable[[], tuple[bool, Callable, Callable]]] = [
            self.move_item,
            *[self.start_run] * 4,
            *[self.move_run] * 6,
            self.move_piece,
            self.delete_run,
        ]
        legal, real, shadow = self.random.choice(acts)()
        try:
            with transaction.atomic():
                real()
        except ServiceError as rejection:
            assert not legal, (real.__name__, rejection)
            return
        assert legal, real.__name__
        shadow()
        self.made += 1
        for item in self.items:
            follow(item)

    def move_item(self) -> tuple[bool, Callable, Callable]:
        item = self.random.choice(self.items)
        to = self.random.choice(["confirmed", "cancelled", "pending"])
        sources = {"confirmed": {"pending"}, "pending": {"cancelled"}}
        legal = item.status in sources.get(to, {"pending", "confirmed"})
        legal = legal or item.status == to

        def real() -> None:
            line_items.change(actor=self.actor, row=LineItem.objects.get(pk=item.row.pk), status=to)

        def shadow() -> None:
            if to == item.status:
                return
            if to == "confirmed":
                item.pieces += [APiece(item) for _ in range(item.quantity)]
            if to == "cancelled":
                for piece in item.pieces:
                    if piece.status == "created":
                        piece.status = "cancelled"
            item.status = to

        return legal, real, shadow

    def start_run(self) -> tuple[bool, Callable, Callable]:
        operation = self.random.choice(["printing", "post-processing", "shipping"])
        known = [piece for item in self.items for piece in item.pieces]
        possible = {piece.operation for piece in known if piece.status == "created"}
        if possible and self.random.random() < 0.8:
            operation = self.random.choice(sorted(possible))
        fitting = [piece for piece in known if self.may_start(piece, operation)]
        pool = fitting if self.random.random() < 0.8 else known
        chosen = self.random.sample(pool, min(len(pool), self.random.randint(1, 4)))
        made = ARun(operation, chosen, None)
        legal = bool(chosen) and all(self.may_start(piece, operation) for piece in chosen)

        def real() -> None:
            if not chosen:
                raise ServiceError("Nothing to do.")
            made.row = runs.create_run(
                actor=self.actor,
                bureau=self.items[0].row.bureau,
                name="Run",
                operation=operation,
                pieces=[self.row_of(piece) for piece in chosen],
                status="calculated",
                **self.doers[operation],
            )

        def shadow() -> None:
            self.runs.append(made)
            for piece in chosen:
                piece.status = "queued"
                piece.runs.append(made)

        return legal, real, shadow

    def may_start(self, piece: APiece, operation: str) -> bool:
        states = {"confirmed", "queued", "printing"}
        if operation != "printing":
            states |= {"post-processing", "shipping"}
        free = all(run.status in ("complete", "error") for run in piece.runs)
        ready = piece.status == "created" and piece.item.status in states
        return free and ready and piece.operation == operation

    def move_run(self) -> tuple[bool, Callable, Callable]:
        if not self.runs:
            return self.start_run()
        known = self.runs
        if self.random.random() < 0.8:
            known = [run for run in self.runs if RUN[run.status]] or self.runs
        run = self.random.choice(known)
        to = self.random.choice(["queued", "in-progress", "complete", "complete", "error"])
        if self.random.random() < 0.5:
            to = "complete" if run.started else "in-progress"
        legal = to in RUN[run.status] or to == run.status
        here = [piece for piece in run.pieces if piece.runs and piece.runs[-1] is run]

        def real() -> None:
            runs.change(actor=self.actor, row=run.row, status=to)

        def shadow() -> None:
            if to == run.status:
                return
            expected = "in-progress" if run.started else "queued"
            moving = [piece for piece in here if piece.status == expected]
            if to == "error" and not run.started:
                self.set_free(run)
            elif to == "in-progress":
                for piece in moving:
                    piece.status = "in-progress"
            elif to in ("complete", "error"):
                for piece in sorted(moving, key=lambda piece: piece.item.pieces.index(piece)):
                    go_on(piece, next_of(piece) if to == "complete" else "error")
            run.status, run.started = to, run.started or to == "in-progress"

        return legal, real, shadow

    def set_free(self, run: ARun) -> None:
        for piece in run.pieces:
            piece.runs.remove(run)
            if piece.status == "queued":
                piece.status = "created"
        run.pieces = []

    def delete_run(self) -> tuple[bool, Callable, Callable]:
        if not self.runs:
            return self.start_run()
        run = self.random.choice(self.runs)

        def real() -> None:
            runs.delete(row=run.row)

        def shadow() -> None:
            self.set_free(run)
            self.runs.remove(run)

        return not run.started, real, shadow

    def move_piece(self) -> tuple[bool, Callable, Callable]:
        known = [piece for item in self.items for piece in item.pieces]
        if not known:
            return self.move_item()
        at_work = [piece for piece in known if piece.status == "in-progress"]
        piece = self.random.choice(at_work or known)
        to = self.random.choice(list(PIECE))
        table = PIECE if next_of(piece) == "created" else PIECE_AT_ITS_LAST_STEP
        legal = to == piece.status or to in table[piece.status]
        same = to == piece.status

        def real() -> None:
            pieces.change_piece(piece=self.row_of(piece), status=to)

        def shadow() -> None:
            if not same:
                go_on(piece, to)

        return legal, real, shadow

    def row_of(self, piece: APiece) -> Piece:
        number = piece.item.pieces.index(piece) + 1
        return Piece.objects.get(line_item=piece.item.row, number=number)

    def check(self, order: Order) -> None:
        """The rows say what the model says."""
        for item in self.items:
            item.row.refresh_from_db()
            assert item.row.status == item.status
            rows = Piece.objects.filter(line_item=item.row).order_by("number")
            found = [
                (row.status, row.place.run_id if row.place else None)
                for row in rows.select_related("place")
            ]
            assert found == [
                (piece.status, piece.runs[-1].row.pk if piece.runs else None)
                for piece in item.pieces
            ]
        order.refresh_from_db()
        assert order.status == state_of_order([item for item in self.items if item.ordered])


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_random_histories_keep_rows_equal_to_the_reference_model(
    make, bureau, person, workflow, post_processor, printer_type, shipping, seed
):
    order = Order.objects.get(pk=key_of(make("order", bureau=bureau["uri"], name="All")))
    every = ["printing", "post-processing", "shipping"]
    items = []
    for steps, quantity, ordered in ((every, 4, True), (["printing"], 4, True), (every, 3, False)):
        row = LineItem.objects.create(
            bureau_id=key_of(bureau),
            order=order if ordered else None,
            workflow_id=key_of(workflow) if len(steps) > 1 else None,
            quantity=quantity,
            no_model_upload=True,
            status="pending",
            estimates={"print_time": None, "material": None, "cost": {}},
            creator=person,
        )
        items.append(AnItem(steps, quantity, ordered, row))
    doers = {
        "printing": {"printer_type": PrinterType.objects.get(pk=key_of(printer_type))},
        "post-processing": {"post_processor": PostProcessor.objects.get(pk=key_of(post_processor))},
        "shipping": {"shipping": Shipping.objects.get(pk=key_of(shipping))},
    }
    history = History(Random(seed), person, items, doers)

    for _ in range(100):
        history.step()
        history.check(order)

    assert history.made > 30
