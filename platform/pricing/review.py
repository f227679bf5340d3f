"""Why there is no price: what the customer reads, and what the bureau does."""

from dataclasses import dataclass

from pricing.sentences import DEFAULT

_BY_HAND = {
    "en": "We price this part by hand.",
    "de": "Diesen Preis machen wir von Hand.",
    "fr": "Nous calculons ce prix à la main.",
}


@dataclass(frozen=True)
class Reason:
    """Why a person must look before there is a price.

    code  : number-missing, formula-broken, out-of-bounds, no-rule, not-due, tax-unclear, ...
    title : for the customer; it names neither rules nor amounts that are not theirs
    why   : for the bureau
    """

    code: str
    title: str
    why: str

    def as_json(self) -> dict[str, str]:
        """As JSON, the bureau's part too."""
        return {"code": self.code, "title": self.title, "why": self.why}


def by_hand(code: str, why: str, language: str = DEFAULT) -> Reason:
    """A reason that says nothing to the customer but that somebody looks."""
    return Reason(code, _BY_HAND.get(language, _BY_HAND[DEFAULT]), why)
