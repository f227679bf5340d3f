"""Decimal numbers in text to float64, thousands at a time.

Digits are converted eight to a 64-bit word with three multiplications, the method of
D. Lemire, "Number parsing at a gigabyte per second" (2021). What one multiplication or
division of exact float64 numbers can round (W. D. Clinger, 1990: at most 53 bits of digits and
a power of ten up to 22) is rounded as `float()` does; the rest is left to the caller.
"""

import numpy as np
from numpy.typing import NDArray

BEFORE = 16  # bytes that must be readable before the first character of a number
AFTER = 8  # and after its first one

ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)
LOWER_CASE = np.uint64(0x2020202020202020)
ZEROS = np.uint64(0x3030303030303030)
NINE_TO_HIGH_BIT = np.uint64(0x7676767676767676)  # added to a byte of 10 or more, sets bit 7
LANES = np.uint64(0x000000FF000000FF)
HUNDREDS = np.uint64(100 + (1_000_000 << 32))
UNITS = np.uint64(1 + (10_000 << 32))
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

LARGEST_POWER = 22
MULTIPLIERS = 10.0 ** np.maximum(np.arange(-LARGEST_POWER, LARGEST_POWER + 1), 0)
DIVISORS = 10.0 ** np.maximum(np.arange(LARGEST_POWER, -LARGEST_POWER - 1, -1), 0)
POWERS = 10 ** np.arange(20, dtype=np.uint64)


def parse_decimals(
    words: NDArray[np.uint64], first: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Values of numbers such as -1, .5, 12.25 and 1.5e-07.

    Parameters
    ----------
    words : uint64
        words[i] holds the eight characters from position i, the first in its lowest byte.
    first, last : (n,) int64
        Where each number begins, and one past its end.

    Returns
    -------
    values : (n,) float64
    exact  : (n,) bool
        Whether the text is a number and its value the nearest float64. Where not, the value
        means nothing: the text is unusual, too long, or no number at all.
    """
    head = words[first]
    sign = head & np.uint64(0xFF)
    negative = sign == ord("-")
    digits_from = first + (negative | (sign == ord("+")))

    exponent, mantissa_end, exact = _exponents(words[last - 8], first, last)

    dot = _find(head, ".")
    dot_at = np.where(dot < 8, np.minimum(first + dot, mantissa_end), mantissa_end)
    whole_digits = dot_at - digits_from
    fraction_digits = np.maximum(mantissa_end - dot_at - 1, 0)
    digits = whole_digits + fraction_digits
    exact &= (whole_digits >= 0) & (whole_digits <= 8) & (fraction_digits <= 16)
    exact &= (digits >= 1) & (digits <= 19)

    whole, valid = _digits(words[dot_at - 8], whole_digits)
    exact &= valid
    fraction, valid = _digits(words[mantissa_end - 8], fraction_digits)
    exact &= valid
    if fraction_digits.max(initial=0) > 8:
        upper, valid = _digits(words[mantissa_end - 16], fraction_digits - 8)
        exact &= valid
        fraction += upper * POWERS[8]
    mantissa = whole * POWERS[np.minimum(fraction_digits, 19)] + fraction

    power = exponent - fraction_digits
    exact &= (mantissa < np.uint64(1 << 53)) & (np.abs(power) <= LARGEST_POWER)
    index = np.clip(power + LARGEST_POWER, 0, 2 * LARGEST_POWER)
    values = mantissa.astype(np.float64)
    values *= MULTIPLIERS[index]
    values /= DIVISORS[index]
    return np.negative(values, out=values, where=negative), exact


def _exponents(
    tail: NDArray[np.uint64], first: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Exponent, where the part before it ends, and whether it is well formed.

    tail : the eight characters before `last`
    """
    exact = np.ones(len(first), dtype=bool)
    foreign = np.maximum(8 - (last - first), 0)  # characters of `tail` before the number
    letter = _find(tail | LOWER_CASE, "e", skip=foreign)  # 8: none
    none = letter == 8
    if none.all():
        return np.zeros(len(first), dtype=np.int64), last, exact

    sign = (tail >> (8 * letter + 8).astype(np.uint64)) & np.uint64(0xFF)
    negative = sign == ord("-")
    digits = 7 - letter - (negative | (sign == ord("+")))
    value, valid = _digits(tail, digits)
    exact &= none | (valid & (digits >= 1) & (digits <= 3))
    exponent = np.where(none | ~exact, 0, value.astype(np.int64))
    return np.where(negative, -exponent, exponent), last - 8 + letter, exact


def _find(
    words: NDArray[np.uint64], character: str, skip: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Index of the first byte that is `character`, from `skip` on; 8 where there is none."""
    difference = words ^ (ONES * np.uint64(ord(character)))
    found = (difference - ONES) & ~difference & HIGH_BITS  # bit 7 of bytes that are zero
    if skip is not None:
        found &= ALL << (8 * skip).astype(np.uint64)
    below = ~found & (found - np.uint64(1))
    return (np.bitwise_count(below) >> 3).astype(np.int64)


def _digits(
    words: NDArray[np.uint64], count: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """The number that the last `count` (0 to 8) characters make, and whether all are digits."""
    drop = (64 - 8 * np.clip(count, 0, 8)).astype(np.uint64)
    digits = ((words ^ ZEROS) >> drop) << drop
    valid = ((digits + NINE_TO_HIGH_BIT) | digits) & HIGH_BITS == 0
    pairs = digits * np.uint64(10) + (digits >> np.uint64(8))
    upper = (pairs & LANES) * HUNDREDS
    lower = ((pairs >> np.uint64(16)) & LANES) * UNITS
    return (upper + lower) >> np.uint64(32), valid
