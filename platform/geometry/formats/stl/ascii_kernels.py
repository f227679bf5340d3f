"""Compiled ASCII STL parser."""

import numpy as np
from numba import njit

from jit import compiled

BLANK = 32  # and all below
LOWER_CASE = 0x20
POINT, PLUS, MINUS, ZERO, EXPONENT = ord("."), ord("+"), ord("-"), ord("0"), ord("e")

# What one multiplication or division of exact numbers rounds is rounded as `float()` does
# (W. D. Clinger, "How to read floating point numbers accurately", 1990).
MAX_DIGITS, LARGEST_MANTISSA, LARGEST_POWER = 18, 1 << 53, 22
MAX_EXPONENT = 1000
POWERS = 10.0 ** np.arange(LARGEST_POWER + 1)

FACET, NORMAL, OUTER, LOOP, VERTEX, ENDLOOP, ENDFACET = (
    np.frombuffer(word, np.uint8)
    for word in (b"facet", b"normal", b"outer", b"loop", b"vertex", b"endloop", b"endfacet")
)


@njit
def _next(text, at, end):
    """Where the next word begins; `end` where there is none."""
    while at < end and text[at] <= BLANK:
        at += 1
    return at


@njit
def _skip(text, at, end):
    """One past the end of the next word."""
    at = _next(text, at, end)
    while at < end and text[at] > BLANK:
        at += 1
    return at


@njit
def _take(text, at, end, word):
    """One past the next word where it is this one, in any case; -1 where it is not."""
    at = _next(text, at, end)
    length = len(word)
    if at + length > end or (at + length < end and text[at + length] > BLANK):
        return -1
    for i in range(length):
        if text[at + i] | LOWER_CASE != word[i]:
            return -1
    return at + length


@njit
def read_number(text, at, end):
    """One past the word at `at`, its value, and whether that is sure: the nearest float64."""
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    mantissa, digits, power = np.uint64(0), 0, 0
    whole = at
    while at < end and text[at] - ZERO < 10 and text[at] >= ZERO:
        mantissa = mantissa * np.uint64(10) + np.uint64(text[at] - ZERO)
        at += 1
    digits = at - whole
    if at < end and text[at] == POINT:
        at += 1
        fraction = at
        while at < end and text[at] - ZERO < 10 and text[at] >= ZERO:
            mantissa = mantissa * np.uint64(10) + np.uint64(text[at] - ZERO)
            at += 1
        power = fraction - at
        digits -= power
    sure = 0 < digits <= MAX_DIGITS
    if sure and at < end and text[at] | LOWER_CASE == EXPONENT:
        at += 1
        falling = at < end and text[at] == MINUS
        if falling or (at < end and text[at] == PLUS):
            at += 1
        exponent, first = 0, at
        while at < end and text[at] - ZERO < 10 and text[at] >= ZERO:
            if exponent < MAX_EXPONENT:
                exponent = exponent * 10 + (text[at] - ZERO)
            at += 1
        sure = at > first
        power += -exponent if falling else exponent
    if at < end and text[at] > BLANK:
        sure = False
        while at < end and text[at] > BLANK:
            at += 1
    value = 0.0
    if sure and mantissa < LARGEST_MANTISSA and -LARGEST_POWER <= power <= LARGEST_POWER:
        value = float(mantissa)
        value = value * POWERS[power] if power >= 0 else value / POWERS[-power]
    else:
        sure = False
    return at, -value if negative else value, sure


@compiled("UniTuple(int64, 2)(uint8[::1], int64, int64, float32[:, ::1], int64[:, ::1])")
def read_plain(text, at, end, columns, unsure):
    """The facets of a text that holds nothing else; (-1, 0) where it holds something else.

    text    : it lies from `at` to `end`
    columns : (9, n), into which the corners of each facet are written
    unsure  : (9 n, 3), what is left to the caller: which value of the facets, 9 of each, and
              where its word begins and ends

    Returns
    -------
    How many facets there are, and how many rows of `unsure`.
    """
    count = odd = 0
    while True:
        at = _next(text, at, end)
        if at == end:
            return count, odd
        at = _take(text, at, end, FACET)
        if at < 0:
            return -1, 0
        after = _take(text, at, end, NORMAL)
        if after >= 0:
            at = _skip(text, _skip(text, _skip(text, after, end), end), end)
        at = _take(text, at, end, OUTER)
        if at >= 0:
            at = _take(text, at, end, LOOP)
        if at < 0:
            return -1, 0
        for corner in range(3):
            at = _take(text, at, end, VERTEX)
            if at < 0:
                return -1, 0
            for axis in range(3):
                first = _next(text, at, end)
                if first == end:
                    return -1, 0
                at, value, sure = read_number(text, first, end)
                columns[3 * corner + axis, count] = value
                if not sure:
                    unsure[odd, 0] = 9 * count + 3 * corner + axis
                    unsure[odd, 1] = first
                    unsure[odd, 2] = at
                    odd += 1
        at = _take(text, at, end, ENDLOOP)
        if at >= 0:
            at = _take(text, at, end, ENDFACET)
        if at < 0:
            return -1, 0
        count += 1
