"""The console's list of orders with 100,000 of them, of one shop.

A page is a whole one: Django's handler without a socket, the API's answers in the same process,
HTML as sent, with the garbage collection of a web process. Beside it stands the API's own request
for the same rows. There is no peer; the goals are those of the console's design. Times are by the
clock; of searches each word is tried once: 20 names in the list, and in the top bar also 10
references and 10 customers. The orders of the pages that are measured have two parts each; half of
them have an accepted quote, the others are priced by the price list of the shop for each page.
"""

from collections.abc import Callable
from importlib import import_module
from statistics import quantiles
from time import perf_counter

from benchmarks.kit import Figure, django_with_database, report
from tests.many_orders import many_orders

ORDERS, CUSTOMERS, ROUNDS = 100_000, 2_000, 21
PASSWORD = "correct horse battery"


def main() -> None:
    with django_with_database():
        page, request = signed_in()
        import_module("project.wsgi")  # sets garbage collection
        report("order_lists", [*pages(page, request), *searches(page)])


def signed_in() -> tuple[Callable[[str], str], Callable[[str], object]]:
    """A page of the console by its path, and an answer of the API, of the owner of the shop."""
    from django.db import connection
    from django.test import Client

    from core.uris import base_url

    host = base_url("").removeprefix("http://")
    browser = Client(SERVER_NAME=host, headers={"accept": "text/html", "origin": base_url("")})
    account = {"name": "Ada", "username": "ada", "email": "ada@example.com", "password": PASSWORD}
    browser.post("/register/", account)
    printer = {"preset": "", "hour": "2", "key": "1"}
    material = {"material": "PLA", "filament": "PLA", "cost": "0.03"}
    shop = {"name": "Parts", "currency": "EUR", **printer, **material}
    made = browser.post("/bureau/", shop)
    bureau = made["Location"].split("/")[2]
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        for statement in many_orders(bureau, "ada", orders=ORDERS, customers=CUSTOMERS):
            cursor.execute(statement)
    fill_orders(bureau)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")

    def page(path: str) -> str:
        answer = browser.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        return answer.content.decode()

    def request(path: str) -> object:
        return browser.get(path, SERVER_NAME=f"erp.{host}", headers={"accept": "*/*"}).json()

    return page, request


def fill_orders(bureau: str) -> None:
    """Give parts to the orders of the first and last pages, and quotes to half of them."""
    from django.utils import timezone

    from apps.erp.models import LineItem, Material, Order, PriceList, PriceTerm, Quote, TaxRule

    prices = PriceList.objects.create(
        bureau_id=bureau, name="Retail", country="DE", is_default=True
    )
    term = {"price_list": prices, "bureau_id": bureau, "kind_of_break": "whole"}
    PriceTerm.objects.create(**term, name="Material", step="piece", unit="cc", amount=2)
    PriceTerm.objects.create(**term, name="Packing", step="order", unit="order", amount=5)
    tax = {"category": "S", "country": "DE", "rate": 19}
    TaxRule.objects.create(bureau_id=bureau, name="VAT", **tax)
    material = Material.objects.filter(bureau=bureau).first()
    rows = Order.objects.filter(bureau=bureau)
    orders = [*rows.order_by("-pk")[:100], *rows.order_by("pk")[:100]]
    orders += [*rows.order_by("due_date")[:100], *rows.filter(status="confirmed")[:100]]
    orders = list({order.pk: order for order in orders}.values())
    price = {"net": 13.0, "gross": 15.47, "currency": "EUR", "terms": []}
    items = [
        LineItem(
            bureau_id=bureau, order=order, name="Gear", quantity=4, status="confirmed",
            base_material=material, price=price, creator_id=order.creator_id,
        )
        for order in orders
        for _ in range(2)
    ]  # fmt: skip
    LineItem.objects.bulk_create(items)
    quotes = []
    for first, second in zip(items[::4], items[1::4], strict=True):
        lines = [{"line_item": item.uri, "amount": 13.0} for item in (first, second)]
        lines.append({"line_item": None, "amount": 5.0})
        taxes = [{"category": "S", "rate": 19.0, "basis": 31.0, "amount": 5.89}]
        quote = Quote(
            bureau_id=bureau, order_id=first.order_id, status="accepted", currency="EUR",
            net="31.00", gross="36.89", lines=lines, taxes=taxes, expires=timezone.now(),
            creator_id=first.creator_id,
        )  # fmt: skip
        quotes.append(quote)
    Quote.objects.bulk_create(quotes)


def times(job: Callable[[str], object], paths: list[str]) -> list[float]:
    """How long each path takes, ms."""
    result = []
    for path in paths:
        begun = perf_counter()
        job(path)
        result.append((perf_counter() - begun) * 1e3)
    return result


def p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]


def pages(page: Callable[[str], str], request: Callable[[str], object]) -> list[Figure]:
    """Pages of the list, first and last, sorted and filtered."""
    assert "100,000" in page("/order/")
    last = f"page%5Boffset%5D={ORDERS - 25}"
    figures = []
    for name, query in (
        ("first page", ""),
        ("last page", last),
        ("by due date", "sort=due_date"),
        ("of one status", "filter%5Bstatus%5D=confirmed"),
    ):
        took = times(page, [f"/order/?{query}"] * ROUNDS)
        figures.append(Figure(f"{name}, p95", "ms", p95(took[1:]), goal="<= 100"))
        took = times(request, [f"/order/?{query}&page%5Blimit%5D=25"] * ROUNDS)
        figures.append(Figure(f"{name}: request of the API, p95", "ms", p95(took[1:])))
    return figures


def searches(page: Callable[[str], str]) -> list[Figure]:
    """Searches of the list, and that of the top bar."""
    import hashlib

    codes = [hashlib.md5(str(n).encode()).hexdigest() for n in range(7, ORDERS, ORDERS // 10)]
    names = [f"Gear+{code[:4]}" for code in codes] + [f"t+{code[:3]}" for code in codes]
    took = times(page, [f"/order/?search%5Bname%5D={name}" for name in names])
    terms = [f"PO-{n}" for n in range(7, ORDERS, ORDERS // 10)]
    terms += [f"Customer+{hashlib.md5(str(n).encode()).hexdigest()[:5]}" for n in range(1, 11)]
    everywhere = times(page, [f"/search/?q={word}" for word in [*names, *terms]])
    return [
        Figure("search in the list, p95", "ms", p95(took), goal="<= 150"),
        Figure("search of the top bar, p95", "ms", p95(everywhere), goal="<= 150"),
    ]


if __name__ == "__main__":
    main()
