"""Tax determination: EN 16931 category and rate.

The cases are those of EN 16931. Rates and sentences are the bureau's: the platform knows no law,
and says `tax-unclear` where no rule of the bureau's fits.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from stdnum.eu import vat
from stdnum.exceptions import ValidationError

from pricing.manual_review import ReviewReason, reason, say
from pricing.sentences import DEFAULT

# Standard rate, zero, exempt, goods within the EU, reverse charge, export, not taxable.
CATEGORIES = ("S", "Z", "E", "K", "AE", "G", "O")
EU = frozenset(code.upper().replace("EL", "GR") for code in vat.MEMBER_STATES) - {"XI"}
_SENTENCES: Mapping[str, Mapping[str, str]] = {
    "K": {
        "en": "Intra-Community supply of goods, exempt from VAT.",
        "de": "Steuerfreie innergemeinschaftliche Lieferung.",
        "fr": "Livraison intracommunautaire exonérée de TVA.",
    },
    "AE": {
        "en": "Reverse charge: the customer accounts for the VAT.",
        "de": "Steuerschuldnerschaft des Leistungsempfängers.",
        "fr": "Autoliquidation.",
    },
    "G": {
        "en": "Export outside the EU, exempt from VAT.",
        "de": "Steuerfreie Ausfuhrlieferung.",
        "fr": "Exportation hors de l'UE, exonérée de TVA.",
    },
}
# What cannot be explained without a sentence, and has none of ours.
_EXPLAINED = ("E", "O")


@dataclass(frozen=True)
class Rule:
    """A line of the bureau's table.

    country  : whose tax it is, or empty for any
    rate     : per cent; 0 but for S
    oss      : of a country in which the bureau sells to consumers by the one-stop shop
    since    : the first day on which it holds
    """

    category: str
    rate: Decimal = Decimal(0)
    country: str = ""
    sentence: Mapping[str, str] | None = None
    oss: bool = False
    since: date | None = None


@dataclass(frozen=True)
class Sale:
    """Who sells what to whom.

    seller, buyer, ship_to : countries, two letters
    vat_number             : of the buyer, with its country; empty for a consumer
    service                : work on the customer's own material or file, rather than goods
    """

    seller: str
    buyer: str
    ship_to: str
    vat_number: str = ""
    service: bool = False
    day: date | None = None


@dataclass(frozen=True)
class Tax:
    """What a sale is taxed by."""

    category: str
    rate: Decimal
    sentence: str | None


class TaxAmount(NamedTuple):
    """A tax, what it is on, and what it comes to."""

    tax: Tax
    basis: Decimal
    amount: Decimal


def find_tax(rules: Iterable[Rule], sale: Sale, language: str = "en") -> Tax | ReviewReason:
    """The tax of a sale, by the bureau's rules; a reason for review where none fits."""
    valid = [rule for rule in rules if _holds(rule, sale.day)]
    if sale.vat_number and not is_number(sale.vat_number):
        why = "the number is not written as its country writes them"
        return _unclear(sale, why, language)
    rule = _rule_for(valid, sale)
    if rule is None:
        return _unclear(sale, "no tax-rule of the bureau's fits", language)
    sentences = rule.sentence or _SENTENCES.get(rule.category, {})
    sentence = sentences.get(language) or sentences.get("en")
    if rule.category in _EXPLAINED and not sentence:
        return _unclear(sale, f"the tax-rule {rule.category} has no sentence", language)
    rate = rule.rate if rule.category == "S" else Decimal(0)
    return Tax(rule.category, rate, sentence)


def taxes_of(
    amounts: Iterable[tuple[Tax, Decimal]], digits: int, *, includes_tax: bool = False
) -> list[TaxAmount]:
    """Taxes by category and rate, each computed on the sum of what it is on (rule BR-CO-17).

    The amounts are decimals, with so many digits; gross ones where they include the tax, which
    is taken out of their sum.
    """
    sums: dict[Tax, Decimal] = {}
    for tax, amount in amounts:
        sums[tax] = sums.get(tax, Decimal(0)) + amount
    cent = Decimal(1).scaleb(-digits)
    taxes = []
    for tax, total in sums.items():
        percent = 100 + tax.rate if includes_tax else Decimal(100)
        amount = (total * tax.rate / percent).quantize(cent, ROUND_HALF_EVEN)
        basis = total - amount if includes_tax else total
        taxes.append(TaxAmount(tax, basis, amount))
    return taxes


def is_number(text: str) -> bool:
    """Whether a VAT number is written, and its digits checked, as its country's are."""
    try:
        vat.validate(text)
    except ValidationError:
        return False
    return True


def country_of(vat_number: str) -> str:
    """The country of a VAT number: two letters."""
    return vat_number.strip()[:2].upper().replace("EL", "GR")


def _holds(rule: Rule, day: date | None) -> bool:
    return rule.since is None or day is None or rule.since <= day


def _rule_for(rules: list[Rule], sale: Sale) -> Rule | None:
    seller, ship_to = sale.seller, sale.ship_to

    def of(*categories: str, country: str = seller, oss: bool = False) -> Rule | None:
        """The newest; one of the country before one of any."""
        found = [
            rule
            for rule in rules
            if rule.category in categories and rule.oss == oss and rule.country in ("", country)
        ]
        return max(found, key=lambda r: (r.country != "", r.since or date.min), default=None)

    if not seller:
        return None
    if exempt := of("O"):
        return exempt
    if sale.buyer == seller == ship_to:
        return of("S", "Z", "E")
    business = bool(sale.vat_number) and country_of(sale.vat_number) != seller
    abroad = sale.buyer in EU and sale.buyer != seller
    if seller in EU and business and abroad and country_of(sale.vat_number) == sale.buyer:
        if sale.service:
            return of("AE")
        return of("K") if ship_to in EU and ship_to != seller else None
    if seller in EU and abroad and not sale.vat_number and ship_to == sale.buyer:
        return of("S", country=sale.buyer, oss=True) or (
            None if any(rule.oss for rule in rules) else of("S")
        )
    if ship_to not in EU and ship_to != seller and sale.buyer != seller and not sale.service:
        return of("G")
    return None


def _unclear(sale: Sale, why: str, language: str) -> ReviewReason:
    number = f" ({sale.vat_number})" if sale.vat_number else ""
    whom = f"{sale.buyer or say('this-country', language)}{number}"
    sentence = say("tax-unclear", DEFAULT, whom=whom)
    return reason("tax-unclear", "tax-unclear", language, why=f"{sentence[:-1]}: {why}.", whom=whom)
