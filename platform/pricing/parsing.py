"""Parses price lists and terms from JSON values."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from pricing.cost_drivers import LARGEST
from pricing.errors import InvalidFormula, InvalidTerm
from pricing.formulas import Formula, read_condition, read_formula
from pricing.terms import (
    KINDS_OF_BREAK,
    MAX_BREAKS,
    PERCENTAGES,
    PLACES,
    ROUNDINGS,
    STEPS,
    Break,
    PriceList,
    Term,
    fall_of,
    make_list,
)

LANGUAGES = re.compile(r"[a-z]{2}")
COUNTRY = re.compile(r"[A-Z]{2}")
BOUNDS = (
    *("least_total", "most_total", "ask_above", "most_quantity", "most_hours"),
    *("max_size", "max_weight"),
)
OPTIONS = ("includes_tax", "percentages")


def read_list(values: Mapping[str, Any]) -> PriceList:
    """A list from plain values, as JSON has them: bounds, options, `currency`, `terms`.

    Raises InvalidTerm, whose details name the term, counted from 0, and the field.
    """
    given = values.get("terms") or ()
    terms = []
    for at, each in enumerate(given):
        try:
            terms.append(read_term(each))
        except InvalidTerm as rejection:
            words = f"Term {at + 1}, {str(each.get('name', ''))[:80]!r}: {rejection.title}"
            raise InvalidTerm(rejection.code, words, {**rejection.details, "term": at}) from None
    bounds = {name: _decimal(values, name) for name in BOUNDS}
    return make_list(
        terms,
        currency=values.get("currency") or "EUR",
        includes_tax=bool(values.get("includes_tax")),
        percentages=values.get("percentages") or PERCENTAGES[0],
        **bounds,
    )


def read_term(values: Mapping[str, Any]) -> Term:
    """A term from plain values. Raises InvalidTerm, whose details name the field."""
    step = values.get("step")
    if not isinstance(step, str) or step not in STEPS:
        raise _fault("step", f"A term's step is one of {', '.join(STEPS)}.")
    term = Term(
        key=str(values.get("key") or values.get("name") or ""),
        name=str(values.get("name") or ""),
        step=step,
        position=int(values.get("position") or 0),
        unit=values.get("unit") or STEPS[step].units[0],
        amount=_decimal(values, "amount"),
        factor=_decimal(values, "factor"),
        formula=_formula(values, "formula"),
        when=_formula(values, "when"),
        on=values.get("on") or ("line" if step == "break" else ""),
        by=values.get("by") or "",
        breaks=_breaks(values.get("breaks") or ()),
        kind_of_break=values.get("kind_of_break") or "graduated",
        may_fall=bool(values.get("may_fall")),
        rounding=values.get("rounding") or "nearest",
        least=_decimal(values, "least", signed=True),
        most=_decimal(values, "most"),
        sentence=_sentence(values.get("sentence") or {}),
        is_factor=_is_factor(values, step),
        **{name: frozenset(values.get(name) or ()) for name in CHOSEN},
    )
    _check(term)
    return term


CHOSEN = ("materials", "printer_types", "finishes", "shippings", "countries", "groups")


def _check(term: Term) -> None:
    step = term.step
    if not term.name:
        raise _fault("name", "A term has a name.")
    if term.unit not in STEPS[step].units:
        raise _fault("unit", f"A term of the step {step} is per {_or(STEPS[step].units)}.")
    ways = [way for way in (term.amount, term.factor, term.formula) if way is not None]
    if len(ways) > 1 or not (ways or term.breaks):
        raise _fault("amount", "Give one of amount, factor, formula, or breaks alone.")
    if term.unit == "formula" and term.formula is None:
        raise _fault("formula", "A term of the unit formula has a formula.")
    if term.is_factor and not STEPS[step].may_be_factor:
        factors = tuple(each.name for each in STEPS.values() if each.may_be_factor)
        raise _fault("factor", f"A factor is a term of {_or(factors)}: give an amount.")
    if step in ("break", "group") and not term.is_factor:
        raise _fault("factor", f"A term of the step {step} is a factor.")
    if step == "break" and not term.breaks:
        raise _fault("breaks", "A break has breaks: [{from, factor}].")
    if term.on not in (("piece", "line") if step == "break" else ("",)):
        raise _fault("on", "A break is on piece or line; other terms have no on.")
    if term.kind_of_break not in KINDS_OF_BREAK:
        raise _fault("kind_of_break", f"It is one of {_or(KINDS_OF_BREAK)}.")
    if term.rounding not in ROUNDINGS:
        raise _fault("rounding", f"It is one of {_or(ROUNDINGS)}.")
    if step == "rounding" and not term.amount:
        raise _fault("amount", "A rounding has the amount that it rounds to, such as 0.05.")
    if step == "rounding" and term.unit == "piece" and not term.may_fall:
        raise _fault(
            "may_fall",
            "Where the price of a piece is rounded, more pieces may cost less in total: say "
            "may_fall: true, or round the line.",
        )
    if any(not COUNTRY.fullmatch(country) for country in term.countries):
        raise _fault("countries", "Countries are two letters, such as DE.")
    _check_breaks(term)


def _check_breaks(term: Term) -> None:
    if not term.breaks:
        if term.by:
            raise _fault("breaks", "by says what breaks go by: give breaks, or leave by out.")
        return
    allowed = STEPS[term.step].by
    if term.by not in allowed:
        words = f"by {_or(allowed)}" if allowed else "by nothing: it has no breaks"
        raise _fault("by", f"A term of the step {term.step} goes {words}.")
    if term.formula is not None:
        raise _fault("breaks", "A term with a formula has no breaks: the formula says it all.")
    starts = [each.start for each in term.breaks]
    if starts != sorted(set(starts)):
        raise _fault("breaks", "Breaks rise: each from is more than the one before.")
    if term.base is None and term.step != "rush" and starts[0] > (term.by == "pieces"):
        words = f"Say what holds below {starts[0]:f}: give an amount or a factor, or a first break."
        raise _fault("breaks", words)
    falls = fall_of(term)
    if falls and not term.may_fall:
        raise _fault("may_fall", falls)


def _is_factor(values: Mapping[str, Any], step: str) -> bool:
    breaks = [each for each in values.get("breaks") or () if isinstance(each, Mapping)]
    factors = {"factor" in each for each in breaks} | (
        {True} if values.get("factor") is not None else set()
    )
    if values.get("amount") is not None:
        factors |= {False}
    if len(factors) > 1:
        raise _fault("breaks", "A term and its breaks are all amounts, or all factors.")
    return True in factors or (step == "break" and not factors)


def _breaks(given: Iterable[Any]) -> tuple[Break, ...]:
    given = list(given)
    if len(given) > MAX_BREAKS:
        raise _fault("breaks", f"A term has at most {MAX_BREAKS} breaks.")
    found = []
    for each in given:
        if not isinstance(each, Mapping) or not each.keys() <= {"from", "amount", "factor"}:
            raise _fault("breaks", "A break is {from, amount} or {from, factor}.")
        start = _decimal(each, "from", field="breaks")
        values = [_decimal(each, name, field="breaks") for name in ("amount", "factor")]
        value = next((found for found in values if found is not None), None)
        if start is None or value is None:
            raise _fault("breaks", "A break is {from, amount} or {from, factor}.")
        if None not in values:
            raise _fault("breaks", "A break has an amount or a factor, not both.")
        found.append(Break(start, value))
    return tuple(found)


def _decimal(
    values: Mapping[str, Any], name: str, *, signed: bool = False, field: str = ""
) -> Decimal | None:
    value = values.get(name)
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool):
            raise ValueError
        read = value if isinstance(value, Decimal) else Decimal(str(value))
    except (InvalidOperation, ValueError):
        raise _fault(field or name, f"{name} is a number.") from None
    if not read.is_finite() or abs(read) > LARGEST or (read < 0 and not signed):
        raise _fault(field or name, f"{name} is a number from 0 to {LARGEST:f}.")
    exponent = read.normalize().as_tuple().exponent
    if isinstance(exponent, int) and exponent < -12:
        raise _fault(field or name, f"{name} has at most 12 decimals.")
    return read


def _formula(values: Mapping[str, Any], name: str) -> Formula | None:
    text = values.get(name)
    if text is None or text == "":
        return None
    try:
        return (read_formula if name == "formula" else read_condition)(str(text))
    except InvalidFormula as rejection:
        raise InvalidTerm(rejection.code, rejection.title, {"field": name}) from None


def _sentence(given: Any) -> Mapping[str, str]:
    if not isinstance(given, Mapping):
        raise _fault("sentence", 'A sentence is {language: text}, such as {"en": "Parcel"}.')
    for language, text in given.items():
        if not LANGUAGES.fullmatch(str(language)) or not isinstance(text, str):
            raise _fault("sentence", 'A sentence is {language: text}, such as {"en": "Parcel"}.')
        if len(text) > 200 or not text.isprintable():
            raise _fault("sentence", "A sentence is one line of at most 200 characters.")
        unknown = set(re.findall(r"{([^{}]*)}", text)) - set(PLACES)
        if unknown or re.sub(r"{[^{}]*}", "", text).strip("{}") != re.sub(r"{[^{}]*}", "", text):
            places = ", ".join(f"{{{place}}}" for place in PLACES)
            raise _fault("sentence", f"A sentence has the places {places} and no other braces.")
    return dict(given)


def _or(words: Iterable[str]) -> str:
    return ", ".join(words)


def _fault(field: str, title: str) -> InvalidTerm:
    return InvalidTerm("invalid-term", title, {"field": field})
