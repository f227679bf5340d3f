"""Reasons for manual review, for the customer and for the bureau."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, NotRequired, TypedDict

from pricing.sentences import DEFAULT

# What the customer reads, by language. What is missing in detail is written in the platform's own
# words, which are English: other languages leave it out.
SENTENCES: Mapping[str, Mapping[str, str]] = {
    "by-hand": {
        "en": "We price this part by hand.",
        "de": "Diesen Preis machen wir von Hand.",
        "fr": "Nous calculons ce prix à la main.",
    },
    "number-missing": {
        "en": "{name} of this part is not known: {detail} We look at it ourselves.",
        "de": "Ein Maß dieses Teils ist nicht bekannt. Wir sehen es uns selbst an.",
        "fr": "Une mesure de cette pièce n'est pas connue. Nous la regardons nous-mêmes.",
    },
    "not-closed": {
        "en": "The surface of this part is not closed: heal it first.",
        "de": "Die Oberfläche dieses Teils ist nicht geschlossen: bitte zuerst reparieren.",
        "fr": "La surface de cette pièce n'est pas fermée : réparez-la d'abord.",
    },
    "not-sold": {
        "en": "{name} is not sold by this list.",
        "de": "{name} steht nicht in dieser Preisliste.",
        "fr": "{name} n'est pas dans cette liste de prix.",
    },
    "this-material": {
        "en": "This material",
        "de": "Dieses Material",
        "fr": "Cette matière",
    },
    "no-machine": {
        "en": "No machine prints {name}.",
        "de": "Keine Maschine druckt {name}.",
        "fr": "Aucune machine n'imprime {name}.",
    },
    "too-large": {
        "en": "It fits none of the machines for {name}.",
        "de": "Es passt in keine der Maschinen für {name}.",
        "fr": "Elle n'entre dans aucune des machines pour {name}.",
    },
    "not-sliced": {
        "en": "This part cannot be sliced for this machine: we look at it ourselves.",
        "de": "Dieses Teil lässt sich für diese Maschine nicht vorbereiten: wir sehen es uns an.",
        "fr": "Cette pièce ne peut être préparée pour cette machine : nous la regardons.",
    },
    "too-many": {
        "en": "More than {most} pieces are priced by hand.",
        "de": "Mehr als {most} Stück machen wir von Hand.",
        "fr": "Au-delà de {most} pièces, nous calculons à la main.",
    },
    "not-by-then": {
        "en": "By {day} we cannot deliver; the earliest is {ready}.",
        "de": "Bis {day} können wir nicht liefern; frühestens {ready}.",
        "fr": "Nous ne pouvons pas livrer pour le {day} ; au plus tôt le {ready}.",
    },
    "not-known-when": {
        "en": "By {day} we cannot promise to deliver.",
        "de": "Bis {day} können wir nichts zusagen.",
        "fr": "Nous ne pouvons rien promettre pour le {day}.",
    },
    "no-rule-for-day": {
        "en": "By that day we cannot deliver by our list: please choose a later one.",
        "de": "Bis dahin liefern wir nicht nach Liste: bitte einen späteren Tag wählen.",
        "fr": "Nous ne livrons pas pour ce jour selon notre liste : choisissez-en un autre.",
    },
    "tax-unclear": {
        "en": "Tax for {whom} is settled by hand.",
        "de": "Die Steuer für {whom} klären wir von Hand.",
        "fr": "La taxe pour {whom} est établie à la main.",
    },
    "this-country": {"en": "this country", "de": "dieses Land", "fr": "ce pays"},
}


class ReviewAnswer(TypedDict):
    """Why a person must look before there is a price."""

    code: str
    title: str
    why: NotRequired[Annotated[str, "Details, for users with the right to change prices."]]


@dataclass(frozen=True)
class ReviewReason:
    """Why a person must look before there is a price.

    code  : number-missing, formula-broken, out-of-bounds, no-rule, not-due, tax-unclear, ...
    title : for the customer; it names neither rules nor amounts that are not theirs
    why   : for the bureau
    """

    code: str
    title: str
    why: str

    def as_json(self) -> ReviewAnswer:
        """As JSON, the bureau's part too."""
        return {"code": self.code, "title": self.title, "why": self.why}

    def for_customer(self) -> ReviewAnswer:
        """As JSON, without what only the bureau may see."""
        return {"code": self.code, "title": self.title}


def say(sentence: str, language: str, **places: object) -> str:
    """A sentence for the customer, in their language where we have it."""
    words = SENTENCES[sentence]
    return words.get(language, words[DEFAULT]).format(**places)


def reason(
    code: str, sentence: str, language: str, *, why: str = "", **places: object
) -> ReviewReason:
    """A reason whose sentence is ours; the bureau reads it in English, or `why`."""
    return ReviewReason(
        code, say(sentence, language, **places), why or say(sentence, DEFAULT, **places)
    )


def by_hand(code: str, why: str, language: str = DEFAULT) -> ReviewReason:
    """A reason that says nothing to the customer but that somebody looks."""
    return reason(code, "by-hand", language, why=why)
