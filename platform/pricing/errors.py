"""Errors of formulas and price lists."""

from input_errors import InputError


class InvalidFormula(InputError):
    """A text that is no formula of ours."""


class InvalidTerm(InputError):
    """A term, or a list of them, that cannot mean a price."""


class NoNumber(Exception):  # noqa: N818  an outcome of a part, reported as a reason for review
    """A formula that gives no number for this part; its text says why."""


class NumberMissing(NoNumber):
    """A number that the formula needs is not known of this part.

    name     : of the number
    why      : a sentence
    sentence : for the customer, of `pricing.manual_review`; empty where there is none of its own
    """

    def __init__(self, name: str, why: str, sentence: str = ""):
        super().__init__(f"{name} is not known: {why}")
        self.name = name
        self.why = why
        self.sentence = sentence
