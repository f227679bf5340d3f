"""Line descriptions of a price in the customer's language."""

from collections.abc import Mapping
from decimal import Decimal

from pricing.terms import NUMBER_OF_UNIT, Term

# Language -> its words: the decimal sign, between an amount and its rate, and what a term is.
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "point": ".",
        "at": "at",
        "cm2": "cm²",
        "layer": "layers",
        "minimum": "Up to the minimum: {name}",
        "break": "{name}",
        "rounding": "Rounding",
        "rest": "Rounding",
        "all": "Making the parts",
    },
    "de": {
        "point": ",",
        "at": "zu",
        "cm2": "cm²",
        "layer": "Schichten",
        "minimum": "Bis zum Mindestpreis: {name}",
        "break": "{name}",
        "rounding": "Rundung",
        "rest": "Rundung",
        "all": "Fertigung",
    },
    "fr": {
        "point": ",",
        "at": "à",
        "cm2": "cm²",
        "layer": "couches",
        "minimum": "Jusqu'au minimum : {name}",
        "break": "{name}",
        "rounding": "Arrondi",
        "rest": "Arrondi",
        "all": "Fabrication",
    },
}
LANGUAGES = tuple(_WORDS)
DEFAULT = "en"
_UNITS = {"cc": "cm³", "cc_support": "cm³", "gram": "g", "box_cc": "cm³", "hull_cc": "cm³"}


def sentence_of(
    term: Term,
    *,
    language: str,
    quantity: int,
    each: Decimal | None,
    rate: Decimal | None,
    amount: str,
) -> str:
    """A term in words.

    each   : how many units one piece has; None where that is no number of the part
    rate   : of one unit, with all that lies on it; None where there is no single one
    amount : as the customer reads it
    """
    words = _WORDS.get(language, _WORDS[DEFAULT])
    own = (term.sentence or {}).get(language) or (term.sentence or {}).get(DEFAULT)
    measured = "" if each is None else _measured(term.unit, each, words)
    places = {
        "quantity": str(quantity),
        "amount": amount,
        "unit": "" if rate is None else _number(rate, words, least=2),
        "name": term.name,
        "each": measured,
    }
    if own:
        for place, value in places.items():
            own = own.replace(f"{{{place}}}", value)
        return own
    if term.step in ("minimum", "rounding"):
        return words[term.step].replace("{name}", term.name)
    if not measured:
        return term.name
    at = f" {words['at']} {_number(rate, words, least=2)}" if rate is not None else ""
    return f"{term.name}, {quantity} x {measured}{at}"


def word(name: str, language: str) -> str:
    """A word of our own."""
    return _WORDS.get(language, _WORDS[DEFAULT])[name]


def _measured(unit: str, each: Decimal, words: Mapping[str, str]) -> str:
    if unit == "hour":
        minutes = int((each * 60).to_integral_value())
        hours, rest = divmod(minutes, 60)
        return " ".join(filter(None, (f"{hours} h" if hours else "", f"{rest} min")))
    if unit not in NUMBER_OF_UNIT or unit == "cost":
        return ""
    name = words[unit] if unit in words else _UNITS[unit]
    return f"{_number(each, words)} {name}"


def _number(value: Decimal, words: Mapping[str, str], *, least: int = 0) -> str:
    """With at most four decimals, and at least so many where there are any."""
    text = f"{value.quantize(Decimal('0.0001')).normalize():f}"
    whole, _, part = text.partition(".")
    return f"{whole}{words['point']}{part.ljust(least, '0')}" if part else whole
