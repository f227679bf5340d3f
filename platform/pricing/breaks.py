"""Quantity breaks: whole, graduated, capped."""

from decimal import Decimal

from pricing.terms import Term

NOTHING = Decimal(0)


def rate_at(term: Term, value: Decimal) -> Decimal | None:
    """The amount or factor that a term reaches at this value; None below all of them."""
    found = term.base
    for each in term.breaks:
        if value >= each.start:
            found = each.value
    return found


def spread(term: Term, value: Decimal) -> Decimal:
    """What `value` units cost in total, if one costs what the term says there.

    graduated : each unit what its own break says, so that the total never falls
    whole     : all of them what is reached
    capped    : whole, but never more than a larger number of them
    """
    if not term.breaks:
        return value * (term.base or NOTHING)
    if term.kind_of_break == "graduated":
        total, done, rate = NOTHING, NOTHING, term.base or NOTHING
        for each in term.breaks:
            start = last_before(term, each.start)
            if start >= value:
                break
            total += (start - done) * rate
            done, rate = start, each.value
        return total + (value - done) * rate
    reached = value * (rate_at(term, value) or NOTHING)
    if term.kind_of_break == "whole":
        return reached
    later = (each.start * each.value for each in term.breaks if each.start > value)
    return min(reached, *later, reached)


def last_before(term: Term, start: Decimal) -> Decimal:
    """Up to where the break before goes: pieces are counted, the rest is measured."""
    return max(start - 1, NOTHING) if term.by == "pieces" else start
