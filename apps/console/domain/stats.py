"""Key figures, which pages show as cards."""

from typing import NamedTuple

from django.utils.formats import number_format


class Stat(NamedTuple):
    """A key figure.

    tone : of the note: muted, up or down
    """

    label: str
    value: str
    note: str
    tone: str = "muted"


def rounded_money(amount: float, currency: str) -> str:
    """An amount in whole units."""
    return f"{number_format(amount, 0, force_grouping=True)} {currency}"
