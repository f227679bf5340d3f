"""Compiled parser of G-code words."""

import numpy as np
from numba import types

from gcode.word_letters import MAX_DIGITS, READ
from jit import compiled

SKIPPED, NO_LETTER = len(READ), -1
POWERS_OF_TEN = 10.0 ** np.arange(MAX_DIGITS + 1)
BLANK, NEWLINE, POINT, PLUS, MINUS, ZERO, NINE = (ord(sign) for sign in " \n.+-09")

COLUMN = np.full(256, NO_LETTER, dtype=np.int64)
COLUMN[ord("A") : ord("Z") + 1] = SKIPPED
COLUMN[[ord(letter) for letter in READ]] = range(len(READ))

TEXT = types.Array(types.uint8, 1, "C", readonly=True)


@compiled(
    types.UniTuple(types.int64, 2)(
        TEXT, types.float64[:, ::1], types.int64[:, ::1], types.int64[::1]
    )
)
def read_words(text, columns, long, letters):
    """The rows of a text, whose words are letters with a decimal number each; or (-1, 0).

    text    : whole lines, in upper case
    columns : (letters, rows), takes the numbers; the last of a row counts
    long    : (n, 4), takes what is left to the caller, numbers of more than MAX_DIGITS digits:
              column and row, and where the number begins and ends
    letters : (256,), COLUMN; what is compiled stays when the letters of another module change

    Returns
    -------
    How many rows there are, and how many rows of `long`.
    """
    at = row = count = 0
    end = len(text)
    while at < end:
        if text[at] == NEWLINE:
            row += 1
            at += 1
            continue
        if text[at] == BLANK:
            at += 1
            continue
        column = letters[text[at]]
        if column == NO_LETTER:
            return -1, 0
        at += 1
        while at < end and text[at] == BLANK:
            at += 1
        first = at
        negative = at < end and text[at] == MINUS
        if negative or (at < end and text[at] == PLUS):
            at += 1
        number = digits = fraction = 0
        pointed = False
        while at < end:
            sign = text[at]
            if ZERO <= sign <= NINE:
                number = number * 10 + (sign - ZERO)
                digits += 1
                fraction += pointed
            elif sign == POINT and not pointed:
                pointed = True
            else:
                break
            at += 1
        if not digits:
            return -1, 0
        if at < end and (text[at] == POINT or text[at] == PLUS or text[at] == MINUS):
            return -1, 0
        if column == len(columns):
            continue
        if digits > MAX_DIGITS:
            long[count, 0], long[count, 1] = column, row
            long[count, 2], long[count, 3] = first, at
            count += 1
        else:
            columns[column, row] = (-number if negative else number) / POWERS_OF_TEN[fraction]
    return row, count
