"""Compiled: the vertices and triangles of a 3MF, whose elements are plain and follow one another.

Numba reads a hundred megabytes of them in half a second; expat, which reads all else, calls Python
for each element. What is unusual here is left to expat, so that both give the same result.
"""

from numba import njit, types

from geometry.formats.stl.ascii_kernels import read_number
from jit import compiled

MAX_NAMES = 16
NAME_LENGTH = 2  # of a key, at most: x, y, z, v1, v2, v3
TAB, NEWLINE, RETURN, SPACE, DELETE = 9, 10, 13, 32, 127
OPEN, CLOSE, SLASH, EQUALS, AMPERSAND, COLON = (ord(sign) for sign in "<>/=&:")
DOUBLE_QUOTE, SINGLE_QUOTE = ord('"'), ord("'")
XMLNS = tuple(b"xmlns")
ALL_KEYS = 0b111
LARGEST_INDEX = 1 << 31

TEXT = types.Array(types.uint8, 1, "C", readonly=True)
TABLE = types.int64[:, ::1]


@njit
def _skip_blanks(text, at):
    while at < len(text) and (
        text[at] == SPACE or text[at] == NEWLINE or text[at] == RETURN or text[at] == TAB
    ):
        at += 1
    return at


@njit
def _is_name(sign):
    """Whether it may stand in a name, of the signs that are used."""
    return (
        (ord("a") <= sign <= ord("z"))
        or (ord("A") <= sign <= ord("Z"))
        or (ord("0") <= sign <= ord(":"))
        or sign == ord("_")
        or sign == ord("-")
        or sign == ord(".")
    )


@njit
def _equal(text, first, other, length):
    for i in range(length):
        if text[first + i] != other[i]:
            return False
    return True


@njit
def _attribute(text, at):
    """Where name and value of an attribute begin and end; -1 where it is not a plain one."""
    first = at
    while at < len(text) and _is_name(text[at]):
        at += 1
    last = at
    if last == first or at + 2 >= len(text) or text[at] != EQUALS:
        return first, last, -1, -1
    quote = text[at + 1]
    if quote != DOUBLE_QUOTE and quote != SINGLE_QUOTE:
        return first, last, -1, -1
    begin = at = at + 2
    while at < len(text) and text[at] != quote:
        if text[at] < SPACE or text[at] >= DELETE or text[at] == OPEN or text[at] == AMPERSAND:
            return first, last, -1, -1
        at += 1
    if at == len(text):
        return first, last, -1, -1
    return first, last, begin, at


@njit
def _name_number(text, first, last, names, count):
    """The number of an attribute's name among those that were met; -1 where there are too many."""
    length = last - first
    if length >= len(XMLNS) and _equal(text, first, XMLNS, len(XMLNS)):
        return -1, count
    for i in range(count):
        if names[i, 1] - names[i, 0] == length:
            same = True
            for j in range(length):
                if text[names[i, 0] + j] != text[first + j]:
                    same = False
                    break
            if same:
                return i, count
    if count == len(names):
        return -1, count
    names[count, 0], names[count, 1] = first, last
    return count, count + 1


@njit
def _key_number(text, first, last, keys):
    """Which of the three keys a name is; -1 where it is none."""
    for key in range(3):
        length = 1 if keys[key, 1] == 0 else NAME_LENGTH
        if last - first == length and _equal(text, first, keys[key], length):
            return key
    return -1


@njit
def _row(text, at, keys, whole, values, row, unsure, odd, names, count):
    """The attributes of an element up to its end.

    Returns one past the element, or -1 where it is unusual, and the new `odd` and `count`.
    """
    seen, seen_names = 0, 0
    while True:
        gap = at
        at = _skip_blanks(text, at)
        if at + 1 >= len(text):
            return -1, odd, count
        if text[at] == SLASH:
            if text[at + 1] != CLOSE or seen != ALL_KEYS:
                return -1, odd, count
            return at + 2, odd, count
        if at == gap:
            return -1, odd, count
        first, last, begin, end = _attribute(text, at)
        if begin < 0:
            return -1, odd, count
        at = end + 1
        key = _key_number(text, first, last, keys)
        if key < 0:
            name, count = _name_number(text, first, last, names, count)
            if name < 0 or seen_names & (1 << name):
                return -1, odd, count
            seen_names |= 1 << name
            continue
        if seen & (1 << key) or begin == end:
            return -1, odd, count
        seen |= 1 << key
        stop, value, sure = read_number(text, begin, end)
        sure = sure and stop == end
        if whole:
            if not sure or not 0.0 <= value < LARGEST_INDEX or value != int(value):
                return -1, odd, count
        elif not sure:
            unsure[odd, 0] = 3 * row + key
            unsure[odd, 1] = begin
            unsure[odd, 2] = end
            odd += 1
        values[row, key] = value


@compiled(
    types.UniTuple(types.int64, 4)(
        TEXT,
        types.int64,
        TEXT,
        types.Array(types.uint8, 2, "C", readonly=True),
        types.boolean,
        types.float64[:, ::1],
        TABLE,
        TABLE,
    )
)
def read_rows(text, at, tag, keys, whole, values, unsure, names):
    """The numbers of empty elements that follow one another from `at` on.

    Parameters
    ----------
    text   : (n,) uint8, the whole document
    tag    : what each begins with: b"<vertex"
    keys   : (3, 2) uint8, the attributes that are read, filled with zeros
    whole  : whether their values are indices
    values : (k, 3) float64, takes the numbers of k elements at most
    unsure : (3 k, 3), takes those that are left to the caller: which value, begin and end
    names  : (MAX_NAMES, 2), takes begin and end of the name of each other attribute, once

    Returns
    -------
    How many elements were read, where the last one ends, and the rows of `unsure` and `names`.
    """
    row = odd = count = 0
    while row < len(values):
        start = _skip_blanks(text, at)
        if start + len(tag) >= len(text) or not _equal(text, start, tag, len(tag)):
            break
        after, more, named = _row(
            text, start + len(tag), keys, whole, values, row, unsure, odd, names, count
        )
        if after < 0:
            break
        at, odd, count = after, more, named
        row += 1
    return row, at, odd, count
