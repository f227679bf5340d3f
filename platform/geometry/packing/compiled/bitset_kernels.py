"""Compiled bitset scans: free positions in a layer.

The grid's table T[k, z, w, y] holds a word of 64 cells along x: bit x of level k is set where an
obstacle lies in any of the cells x .. x + 2^k - 1. A run of any length is then two of its bits, and
a word of T answers for 64 places at once.

A model's turn is a row of numbers, TURN_COLUMNS: the model's axis along x; whether y and z are
exchanged; which axes run backwards; its cells; the number of places along each axis; its axes.
"""

import numpy as np

from jit import compiled

TURN_COLUMNS = 14
AXIS, EXCHANGED, FLIPS, CELLS, PLACES, AXES = 0, 1, 2, 5, 8, 11
FIRST = 4  # runs that are looked at before it is asked whether a place is left,
ROWS = 64  # in so many rows of a word: measured;
A_BLOCK = 8  # units of work that a run costs beside its rows
PLANES = 8  # binary digits of how many D sets cover a cell


@compiled("int64(uint64)")
def ones(word):
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    two = np.uint64(0x3333333333333333)
    word = (word & two) + ((word >> np.uint64(2)) & two)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled("uint64(int64, int64, int64)")
def mask(word, first, last):
    """The bits of a word that stand for the cells first .. last."""
    low, high = max(first - 64 * word, 0), min(last - 64 * word, 63)
    if low > 63 or high < 0 or low > high:
        return np.uint64(0)
    full = np.uint64(0xFFFFFFFFFFFFFFFF)
    return (full >> np.uint64(63 - high)) & (full << np.uint64(low))


@compiled("UniTuple(int64, 3)(int16[:], int64[:], int64, int64, int64)")
def _turned(run, turn, size_x, size_y, size_z):
    """Where a run begins after a turn, in a block of so many cells: x, y, z."""
    y, z = np.int64(run[0]), np.int64(run[1])
    if turn[EXCHANGED]:
        y, z = z, y
    x = np.int64(run[2])
    if turn[FLIPS]:
        x = size_x - x - np.int64(run[3])
    if turn[FLIPS + 1]:
        y = size_y - 1 - y
    if turn[FLIPS + 2]:
        z = size_z - 1 - z
    return x, y, z


@compiled("int64(int64)")
def _level(length):
    level = 0
    while (2 << level) <= length:
        level += 1
    return level


@compiled(
    "int64(uint64[:, :, :, ::1], uint64[:, :, :, ::1], int16[:, ::1], int64[:], int64[:], int64,"
    " int64, int64, int64, int64, int64, int64, boolean)"
)
def cover(table, planes, runs, starts, turn, pad, at_x, at_y, at_z, cells_x, cells_y, cells_z, put):
    """Put a model's D set in, or take it out, and bring the table's levels up to date.

    The counts of sets on a cell are binary digits, a plane each, so that 64 of them change at
    once. Returns the work done.
    """
    levels, _, words, _ = table.shape
    size_x = turn[CELLS] + 2 * pad
    size_y = turn[CELLS + 1] + 2 * pad
    size_z = turn[CELLS + 2] + 2 * pad
    left, front, bottom = at_x - pad, at_y - pad, at_z - pad
    axis = turn[AXIS]
    for index in range(starts[axis], starts[axis + 1]):
        x, y, z = _turned(runs[index], turn, size_x, size_y, size_z)
        y += front
        z += bottom
        if y < 0 or y >= cells_y or z < 0 or z >= cells_z:
            continue
        first = max(x + left, 0)
        last = min(x + left + np.int64(runs[index, 3]), cells_x) - 1
        if first > last:
            continue
        for w in range(first >> 6, (last >> 6) + 1):
            change = mask(w, first, last)
            covered = np.uint64(0)
            if put:
                covered = table[0, z, w, y] | change
                for plane in range(PLANES):
                    digit = planes[z, w, y, plane]
                    planes[z, w, y, plane] = digit ^ change
                    change &= digit
                    if not change:
                        break
            else:
                for plane in range(PLANES):
                    digit = planes[z, w, y, plane]
                    planes[z, w, y, plane] = digit ^ change
                    change &= ~digit
                    if not change:
                        break
                for plane in range(PLANES):
                    covered |= planes[z, w, y, plane]
            table[0, z, w, y] = covered

    y0, y1 = max(front, 0), min(front + size_y, cells_y)
    z0, z1 = max(bottom, 0), min(bottom + size_z, cells_z)
    x0, last_word = max(left, 0), max(min(left + size_x, cells_x) - 1, 0) >> 6
    work = np.int64(0)
    for level in range(1, levels):
        half = np.int64(1) << (level - 1)
        skip, shift = half >> 6, np.uint64(half & 63)
        back = np.uint64(63) - shift  # and one more, as a shift by 64 is not defined
        first_word = max(x0 - 2 * half + 1, 0) >> 6
        work += (z1 - z0) * (last_word + 1 - first_word) * (y1 - y0)
        for z in range(z0, z1):
            for w in range(first_word, last_word + 1):
                below = table[level - 1, z, w, y0:y1]
                here = table[level, z, w, y0:y1]
                low = table[level - 1, z, min(w + skip, words - 1), y0:y1]
                high = table[level - 1, z, min(w + skip + 1, words - 1), y0:y1]
                for y in range(y1 - y0):
                    here[y] = below[y] | (low[y] >> shift) | ((high[y] << np.uint64(1)) << back)
    return work


@compiled(
    "int64(uint64[:, :, :, ::1], int16[:, ::1], int64[:], int64, int64, int64, uint64[:, ::1])"
)
def _offsets(table, runs, turn, begin, ready, end, offsets):
    """Where in the flat table the two bits of runs are for a model at cell 0, and their shifts."""
    _, layers, words, rows = table.shape
    for number in range(ready, end):
        run = runs[begin + number]
        x, y, up = _turned(run, turn, turn[CELLS], turn[CELLS + 1], turn[CELLS + 2])
        length = np.int64(run[3])
        level = _level(length)
        x2 = x + length - (np.int64(1) << level)
        base = (level * layers + up) * words * rows + y
        offsets[number, 0] = np.uint64(base + (x >> 6) * rows)
        offsets[number, 1] = np.uint64(x & 63)
        offsets[number, 2] = np.uint64(base + (x2 >> 6) * rows)
        offsets[number, 3] = np.uint64(x2 & 63)
    return max(ready, end)


@compiled(
    "UniTuple(int64, 3)(uint64[:, :, :, ::1], int16[:, ::1], int64, int64, int64, int64[:], int64,"
    " int64, int64, int64, int64, uint64[:, ::1], uint64[:, ::1])"
)
def layer(table, runs, begin, end, ready, turn, z, x0, x1, y0, y1, blocked, offsets):
    """Where in x0 .. x1 - 1 and y0 .. y1 - 1 of a layer V cannot stand, added to `blocked`.

    Rows are looked at in blocks, each for as many runs as leave a place in it free.

    Returns how many places are free, how many runs have `offsets` now, and the work done.
    """
    _, layers, words, rows = table.shape
    flat = table.reshape(-1)
    w0, w1 = x0 >> 6, ((x1 - 1) >> 6) + 1
    count = end - begin
    work = np.int64(0)
    free = np.int64(0)
    one, last, full = np.uint64(1), np.uint64(63), ~np.uint64(0)
    beside = np.uint64(rows)
    for w in range(w0, w1):
        for begin_y in range(y0, y1, ROWS):
            low, high = begin_y, min(begin_y + ROWS, y1)
            here = np.uint64((z * words + w) * rows)
            index = 0
            while True:
                block = blocked[w, low:high]
                size = np.uint64(high - low)
                all_blocked = full
                for i in range(size):
                    all_blocked &= block[i]
                if all_blocked == full:
                    break
                while blocked[w, low] == full:
                    low += 1
                while blocked[w, high - 1] == full:
                    high -= 1
                block = blocked[w, low:high]
                size = np.uint64(high - low)
                if index == count:
                    for i in range(size):
                        free += ones(~block[i])
                    break
                stop = min(index + FIRST, count)
                if stop > ready:
                    ready = _offsets(table, runs, turn, begin, ready, stop, offsets)
                start = here + np.uint64(low)
                for number in range(index, stop):
                    a = start + offsets[number, 0]
                    shift = offsets[number, 1]
                    c = start + offsets[number, 2]
                    shift2 = offsets[number, 3]
                    b, d = a + beside, c + beside
                    back, back2 = last - shift, last - shift2
                    for i in range(size):
                        block[i] |= (
                            (flat[a + i] >> shift)
                            | ((flat[b + i] << one) << back)
                            | (flat[c + i] >> shift2)
                            | ((flat[d + i] << one) << back2)
                        )
                work += (stop - index) * (high - low + A_BLOCK)
                index = stop
    return free, ready, work
