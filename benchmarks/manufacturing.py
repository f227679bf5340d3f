"""Lists of a bureau with 100,000 pieces beside those of one with 100, in the same database.

A request is a whole one, called through its WSGI handler without a socket, with a token, rights,
count and a page; both pages are of the same length. The peer is the bureau with 100 pieces. Who
reads four bureaus reads the large one and three small ones, against four small ones. Times are by
the clock. Queries are counted without the EXPLAIN by which more than 10,000 rows are counted.
"""

import base64
import json
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.kit import Figure, django_with_database, in_turn, report, request

MANY, FEW = 100_000, 100
COUNTING = re.compile(r"EXPLAIN|SELECT COUNT\(\*\)", re.IGNORECASE)
PER_ITEM = PER_RUN = 20  # pieces of a line item, and of a run
ITEMS_PER_ORDER = 5
ROUNDS = 21
HOST = "erp.platform.localhost"


class Reader(NamedTuple):
    """Somebody who reads bureaus, of which one is asked about."""

    credentials: str
    bureau: Any

    def get(self, kind: str, query: str) -> Any:
        """A list, as JSON."""
        return json.loads(request(HOST, self.credentials, f"/{kind}/", query))


def main() -> None:
    with django_with_database():
        begun = time.perf_counter()
        readers = make()
        print(f"{MANY:,} pieces made in {time.perf_counter() - begun:.0f} s")
        report("manufacturing", measure(*readers))


def make() -> tuple[Reader, Reader, Reader, Reader]:
    """Who reads one bureau, large or small, and who reads four, of which the first is meant."""
    from django.db import connection

    from apps.erp.organisation.services.members import add_member

    owner, credentials = person("owner")
    large = bureau(owner, "large", MANY)
    small = [bureau(owner, f"small {number}", FEW) for number in range(4)]
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("VACUUM ANALYZE")
    readers = []
    for name, read in {
        "one large": [large],
        "one small": small[:1],
        "four, one large": [large, *small[1:]],
        "four small": small,
    }.items():
        user, credentials = person(name.replace(" ", "-").replace(",", ""))
        for own in read:
            add_member(actor=owner, bureau=own, user=user)
        readers.append(Reader(credentials, read[0]))
    return tuple(readers)  # type: ignore[return-value]


def person(name: str) -> tuple[Any, str]:
    """A user, and what they send as Basic credentials."""
    from apps.users.models import User
    from apps.users.services.tokens import make_token

    user = User.objects.create_user(name, f"{name}@example.com", "a long pass phrase", name=name)
    token = make_token(user=user, actor=user, name="bench")
    return user, base64.b64encode(f"{token.uuid}:{token.secret}".encode()).decode()


def bureau(owner: Any, name: str, pieces: int) -> Any:
    """A bureau with so many pieces: most are complete, the newest wait or are being made."""
    from django.db import transaction

    from apps.erp.models import LineItem, Order, Piece, Place, Run
    from apps.erp.organisation.services.members import create_bureau

    made = create_bureau(actor=owner, name=name)
    common = {"bureau": made, "creator": owner}
    count = pieces // PER_ITEM
    orders = [Order(name=f"{n}", **common) for n in range(count // ITEMS_PER_ORDER)]
    items = [
        LineItem(order=orders[n % len(orders)], quantity=PER_ITEM, status="confirmed", **common)
        for n in range(count)
    ]
    runs = [Run(name=f"{n}", status="complete", **common) for n in range(count)]
    statuses = ["complete"] * (pieces - 4 * PER_ITEM)
    statuses += [s for s in ("error", "created", "queued", "in-progress") for _ in range(PER_ITEM)]
    place = Place.objects.count() + 1
    rows = [
        Piece(
            bureau=made,
            line_item=items[n // PER_ITEM],
            number=n % PER_ITEM + 1,
            status=status,
            place_id=place + n,
        )
        for n, status in enumerate(statuses)
    ]
    places = [
        Place(pk=place + n, run=runs[n // PER_RUN], piece=piece, position=n % PER_RUN)
        for n, piece in enumerate(rows)
    ]
    made_of = ((Order, orders), (LineItem, items), (Run, runs), (Piece, rows), (Place, places))
    with transaction.atomic():  # a piece and its place name one another
        for kind, new in made_of:
            kind.objects.bulk_create(new, batch_size=5000)
    return made


def measure(large: Reader, small: Reader, large_of_four: Reader, small_of_four: Reader) -> Any:
    figures = []
    for words, many, few in (
        ("", large, small),
        ("four bureaus: ", large_of_four, small_of_four),
    ):
        for name, kind, query in questions():
            figures += compared(f"{words}{name}", kind, query, many, few)
    return figures


def questions() -> list[tuple[str, str, Callable[[Reader], str]]]:
    """What is asked of lists: name, kind, and the query as it is for a reader."""

    def first(reader: Reader, kind: str) -> str:
        return reader.get(kind, f"filter[bureau]={reader.bureau.uri}&sort=created")["resources"][0][
            "uri"
        ]

    def deep(reader: Reader) -> str:
        middle = (MANY if reader.bureau.name == "large" else FEW) // 2
        page = reader.get("piece", f"page[limit]={PER_ITEM}&page[offset]={middle}")
        return urlsplit(page["links"]["next"]).query

    short = f"page[limit]={PER_ITEM}"
    return [
        ("first page", "piece", lambda reader: ""),
        ("by next in the middle", "piece", deep),
        ("of one status", "piece", lambda reader: f"{short}&filter[status]=created"),
        ("of one line item", "piece", lambda r: f"filter[line_item]={first(r, 'line-item')}"),
        ("of one run", "piece", lambda r: f"filter[run]={first(r, 'run')}"),
        ("of one order", "piece", lambda r: f"filter[order]={first(r, 'order')}"),
        ("of one bureau", "piece", lambda r: f"filter[bureau]={r.bureau.uri}"),
        ("sorted by status", "piece", lambda reader: f"{short}&sort=status"),
        ("sorted by change", "piece", lambda reader: f"{short}&sort=-updated"),
        ("line items", "line-item", lambda reader: "page[limit]=5"),
        ("line items of an order", "line-item", lambda r: f"filter[order]={first(r, 'order')}"),
        ("line items by name", "line-item", lambda reader: "page[limit]=5&sort=name"),
        ("orders", "order", lambda reader: "page[limit]=1"),
        ("runs", "run", lambda reader: "page[limit]=5"),
        ("runs of one status", "run", lambda r: "page[limit]=5&filter[status]=complete"),
    ]


def compared(
    name: str, kind: str, query: Callable[[Reader], str], many: Reader, few: Reader
) -> list[Figure]:
    """How long the page takes, and how often it asks the database."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    asked = {reader: query(reader) for reader in (many, few)}
    lengths = [len(reader.get(kind, asked[reader])["resources"]) for reader in (many, few)]
    if lengths[0] != lengths[1] or not lengths[0]:
        raise SystemExit(f"{name}: the pages have {lengths} resources")
    took = in_turn(
        {
            str(at): lambda reader=reader: request(
                HOST, reader.credentials, f"/{kind}/", asked[reader]
            )
            for at, reader in enumerate((many, few))
        },
        rounds=ROUNDS,
    )
    counts = []
    for reader in (many, few):
        with CaptureQueriesContext(connection) as seen:
            request(HOST, reader.credentials, f"/{kind}/", asked[reader])
        # A list that is one page is not counted.
        counts.append(sum(COUNTING.search(query["sql"]) is None for query in seen.captured_queries))
    times = [took[at].wall * 1e3 for at in ("0", "1")]
    return [
        Figure(name, "ms", *times, "ratio <= 1.5"),
        Figure(f"{name}, queries", "", *counts, "ratio <= 1"),
    ]


if __name__ == "__main__":
    main()
