"""PaymentProvider protocol."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol


class Unpayable(Exception):  # noqa: N818  an outcome, not an error of ours
    """The provider refuses permanently; the message is the provider's."""


@dataclass(frozen=True)
class Setup:
    """A method being set up: the provider's name of the customer, and the page for the user."""

    customer: str
    url: str


@dataclass(frozen=True)
class Outcome:
    """Result of an attempt to collect; `pending` where the provider reports it later."""

    status: Literal["succeeded", "failed", "pending"]
    reference: str = ""
    error: str = ""


class Collector(Protocol):
    """A provider. All calls may be repeated with the same `key` and happen once."""

    # Whether it collects by itself, without an operator.
    automatic: bool

    def set_up(self, *, key: str, email: str, name: str) -> Setup:
        """Begin: where does the user say what to pay with? Raises Unpayable."""

    def collect(
        self, *, key: str, customer: str, reference: str, amount: Decimal, currency: str
    ) -> Outcome:
        """Have `amount` paid with the method that `reference` names."""
