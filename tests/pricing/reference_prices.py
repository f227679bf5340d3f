"""The thirteen public lists in the arithmetic of their own pages: no code is shared."""

from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction as F
from math import ceil

CUBIC_INCH = F("16.387064")


def cents(amount: F) -> Decimal:
    """Half-even, exact."""
    whole, rest = divmod(amount * 100, 1)
    up = rest > F(1, 2) or (rest == F(1, 2) and whole % 2)
    found = Decimal(int(whole) + bool(up)) / 100
    return found.quantize(Decimal("0.01"), ROUND_HALF_EVEN)


def line(number: int, part: dict, how: dict) -> Decimal:
    """The net of a line by the list with this number."""
    p = {name: F(str(value)) for name, value in part.items()}
    return cents(_LINES[number](p, how, how["quantity"]))


def delivery(number: int, part: dict, how: dict) -> Decimal:
    """What is asked once of an order."""
    if number != 1:
        return Decimal("0.00")
    if part["longest"] > 900:
        return Decimal("15.00")
    return {"office": Decimal("4.00"), "address": Decimal("6.00")}[how["shipping"]]


def _1(p, how, n):
    hours = {"PLA": F("6.5"), "ABS": F("7.4"), "PETG": F("8.7"), "PA12-CF": F(10)}
    one = hours[how["material"]] * p["box"] / 1000 * F("1.3") * F("3.90")
    return n * (one + one * F("0.8") if how["finish"] else one)


def _2(p, how, n):
    each = F("0.18") * p["cc"] + F(80, n) * ceil(F(n) / p["fits"])
    return each * n * (F("0.9") if n >= 50 else 1)


def _3(p, how, n):
    return n * (p["x"] + 1) * (p["y"] + 1) * (p["z"] + 1) * F("0.00011")


def _4(p, how, n):
    grams, hours = p["grams"] * n, p["hours"] * n
    times = F(2) if grams < 100 else F("1.5") if grams < 500 else F("1.25")
    rate = F("0.75") if hours < 5 else F("0.5") if hours < 24 else F("0.3")
    return max(F(1), grams * F("0.05") * times + hours * rate)


def _5(p, how, n):
    return 5 + n * p["cc"] * {"coarse": F("0.4"), "medium": F("0.7"), "fine": F(1)}[how["material"]]


def _6(p, how, n):
    rate = {
        ("inside", "coarse"): F(9),
        ("inside", "fine"): F(12),
        ("outside", "coarse"): F("12.25"),
        ("outside", "fine"): F("15.25"),
    }
    return max(F("1.65"), n * p["cc"] / CUBIC_INCH * rate[how["group"], how["material"]])


def _7(p, how, n):
    grams = p["grams"] * n
    return grams * F("0.03") if grams >= 30 else F(0)


def _8(p, how, n):
    hours = p["hours"] * n
    rate = 300 if hours < 11 else 200 if hours < 20 else 150
    pace = F("1.5") if how["weekdays"] <= 2 else F(1) if how["weekdays"] < 10 else F("0.66")
    return hours * rate * pace


def _9(p, how, n):
    more = F(0)
    if p["longest"] >= 310:
        more = F(10) + 5 * min(4, (p["longest"] - 310) // 100)
    return n * p["cc"] * F("0.5") * (100 + more) / 100


def _10(p, how, n):
    rate = {"one": 15, "two": 16, "three": 14}[how["printer_type"]]
    return n * rate * p["cc"] / CUBIC_INCH * (F("0.33") if how["group"] == "funded" else 1)


def _11(p, how, n):
    rate = {"plain": F("0.3"), "special": F("0.6")}[how["material"]]
    return n * rate * p["cc"] / F("2.405282") + 5


def _12(p, how, n):
    total = n * p["cc"] * F("0.3")
    if p["volume"] < 1 and p["shells"] > 1:
        total += n * F("0.2")
    if p["volume"] < p["hull"] / 5:
        total += 8
    return total + (8 if p["longest"] >= 250 else 0)


def _13(p, how, n):
    least = dict(zip("abcdef", ("5", "7.5", "6", "8.5", "8.5", "11"), strict=True))
    return max(n * p["cc"] * F("0.28"), n * F(least[how["material"]]))


_LINES = dict(enumerate((_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13), 1))
