"""Compiled decoders of binary G-code: heatshrink and MeatPack."""

import numpy as np
from numba import types

from jit import compiled

BYTES = types.Array(types.uint8, 1, "C", readonly=True)
OUT = types.uint8[::1]
SIGNAL = 0xFF
NEWLINE, SPACE, SEMICOLON, LETTER_A, LETTER_G, LETTER_Z = (ord(sign) for sign in "\n ;AGZ")
PACK, NO_PACK, RESET, NO_SPACES, SPACES = 251, 250, 249, 247, 246
# The characters of four bits each, with and without blanks; -1 for one that follows in full.
LOOKUP = np.array([[*b"0123456789. \nGX", -1], [*b"0123456789.E\nGX", -1]], np.int64)


@compiled(types.int64(BYTES, OUT, types.int64, types.int64))
def expand_heatshrink(data, out, window_bits, length_bits):
    """Decode heatshrink (LZSS of bits) into `out`; how many bytes were written.

    Ends where `out` is full or the data end. Before the beginning there are zeros.
    """
    at, size, bits = 0, 0, 8 * len(data)
    while size < len(out) and at < bits:
        literal = (data[at >> 3] >> (7 - (at & 7))) & 1
        at += 1
        need = 8 if literal else window_bits + length_bits
        if at + need > bits:
            break
        value = 0
        for _ in range(need):
            value = (value << 1) | ((data[at >> 3] >> (7 - (at & 7))) & 1)
            at += 1
        if literal:
            out[size] = value
            size += 1
            continue
        back = (value >> length_bits) + 1
        for _ in range((value & ((1 << length_bits) - 1)) + 1):
            if size == len(out):
                break
            out[size] = out[size - back] if size >= back else 0
            size += 1
    return size


@compiled(types.UniTuple(types.int64, 4)(types.int64, types.int64[::1], types.int64, types.int64))
def _characters(value, lookup, full, held):
    """The two characters of a packed byte, -1 for none; then `full` and `held` anew.

    full : how many characters follow in a byte each
    held : the second character of a pair whose first follows
    """
    if full > 0:
        return value, held, full - 1, -1
    first, second = lookup[value & 15], lookup[value >> 4]
    if first < 0:
        return -1, -1, 1 if second >= 0 else 2, second
    if first == NEWLINE:
        return first, -1, 0, -1
    return first, second, 1 if second < 0 else 0, -1


@compiled(types.int64(BYTES, OUT, types.int64[:, ::1]))
def expand_meatpack(data, out, lookup):
    """Decode MeatPack into `out`, of two bytes for each of the data; how many were written.

    lookup : LOOKUP
    """
    packing = spaceless = signals = full = size = 0
    held = -1
    for index in range(len(data)):
        byte = data[index]
        if signals == 2:
            if byte in (PACK, NO_PACK, RESET):
                packing = 1 if byte == PACK else 0
            elif byte in (NO_SPACES, SPACES):
                spaceless = 1 if byte == NO_SPACES else 0
            signals = 0
            continue
        if byte == SIGNAL:
            signals += 1
            continue
        for turn in range(signals + 1):
            first, second = SIGNAL if turn < signals else byte, -1
            if packing:
                first, second, full, held = _characters(first, lookup[spaceless], full, held)
            for character in (first, second):
                if character >= 0:
                    out[size] = character
                    size += 1
        signals = 0
    return size


@compiled(types.int64(BYTES, OUT))
def separate_arguments(text, out):
    """Put blanks between the arguments of G lines, and leave empty lines out; the bytes written.

    out : of two bytes for each of the text
    """
    size, in_arguments, last = 0, False, NEWLINE
    for character in text:
        if last == NEWLINE:
            if character == NEWLINE:
                continue
            in_arguments = character == LETTER_G
        elif character == SEMICOLON:
            in_arguments = False
        elif in_arguments and LETTER_A <= character <= LETTER_Z and last != SPACE:
            out[size] = SPACE
            size += 1
        out[size] = character
        size += 1
        last = character
    return size
