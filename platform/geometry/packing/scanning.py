"""Compiled loops over bit rows: where a model is free, what it touches there, and putting it in.

The grid's table T[k, z, w, y] holds a word of 64 cells along x: bit x of level k is set where an
obstacle lies in any of the cells x .. x + 2^k - 1. A run of any length is then two of its bits, and
a word of T answers for 64 places at once.

A model's turn is a row of numbers, TURN_COLUMNS: the model's axis along x; whether y and z are
exchanged; which axes run backwards; its cells; the number of places along each axis; its axes.
"""

import numpy as np
from numba import int64, types

from compiling import compiled
from geometry.packing.scanned import SCANNED, SCRATCH, TABLE, WORTH

TURN_COLUMNS = 14
AXIS, EXCHANGED, FLIPS, CELLS, PLACES, AXES = 0, 1, 2, 5, 8, 11
CORNERS = 300  # places of a layer that are judged, at most
SCORE_UNITS = 1024  # of a cell
FEW = 16  # free places that are looked at one by one in any case;
WORDS_A_PLACE = 16  # of a run, cost as much as one place: measured
PLANES = 8  # binary digits of how many D sets cover a cell


@compiled("int64(uint64)")
def _ones(word):
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    two = np.uint64(0x3333333333333333)
    word = (word & two) + ((word >> np.uint64(2)) & two)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled("uint64(int64, int64, int64)")
def _mask(word, first, last):
    """The bits of a word that stand for the cells first .. last."""
    low, high = max(first - 64 * word, 0), min(last - 64 * word, 63)
    if low > 63 or high < 0 or low > high:
        return np.uint64(0)
    ones = np.uint64(0xFFFFFFFFFFFFFFFF)
    return (ones >> np.uint64(63 - high)) & (ones << np.uint64(low))


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
            change = _mask(w, first, last)
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
    "UniTuple(int64, 2)(uint64[:, :, :, ::1], int16[:, ::1], int64, int64, int64[:], int64, int64,"
    " int64, int64, int64, uint64[:, ::1])"
)
def _layer(table, runs, begin, end, turn, z, x0, x1, y0, y1, blocked):
    """Where in x0 .. x1 - 1 and y0 .. y1 - 1 of a layer V cannot stand, in `blocked`.

    Returns how many places are free, and the work done. Only the words of the window are written.
    """
    w0, w1 = x0 >> 6, ((x1 - 1) >> 6) + 1
    rows = y1 - y0
    size_x, size_y, size_z = turn[CELLS], turn[CELLS + 1], turn[CELLS + 2]
    for w in range(w0, w1):
        blocked[w, y0:y1] = ~_mask(w, x0, x1 - 1)
    work = np.int64(0)
    free = rows * (x1 - x0)
    index = begin
    while index < end:
        stop = min(index + 8, end)
        for number in range(index, stop):
            x, y, up = _turned(runs[number], turn, size_x, size_y, size_z)
            length = np.int64(runs[number, 3])
            level = _level(length)
            x2 = x + length - (np.int64(1) << level)
            skip, shift = x >> 6, np.uint64(x & 63)
            skip2, shift2 = x2 >> 6, np.uint64(x2 & 63)
            back, back2 = np.uint64(63) - shift, np.uint64(63) - shift2
            plane = table[level, z + up]
            begin_y, end_y = y0 + y, y1 + y
            for w in range(w0, w1):
                into = blocked[w, y0:y1]
                a = plane[w + skip, begin_y:end_y]
                b = plane[w + skip + 1, begin_y:end_y]
                c = plane[w + skip2, begin_y:end_y]
                d = plane[w + skip2 + 1, begin_y:end_y]
                for i in range(rows):
                    into[i] |= (
                        (a[i] >> shift)
                        | ((b[i] << np.uint64(1)) << back)
                        | (c[i] >> shift2)
                        | ((d[i] << np.uint64(1)) << back2)
                    )
        work += (stop - index) * (w1 - w0) * rows
        index = stop
        free = np.int64(0)
        for w in range(w0, w1):
            for i in range(y0, y1):
                free += _ones(~blocked[w, i])
        if free == 0:
            return np.int64(0), work
        if index < end and (free <= FEW or free * WORDS_A_PLACE <= (w1 - w0) * rows):
            break
    if index == end:
        return free, work

    for w in range(w0, w1):
        for row in range(y0, y1):
            word = ~blocked[w, row]
            while word:
                bit = word & (~word + np.uint64(1))
                word ^= bit
                at = 64 * w + _ones(bit - np.uint64(1))
                for number in range(index, end):
                    x, y, up = _turned(runs[number], turn, size_x, size_y, size_z)
                    length = np.int64(runs[number, 3])
                    level = _level(length)
                    x2 = at + x + length - (np.int64(1) << level)
                    x += at
                    hit = table[level, z + up, x >> 6, row + y] >> np.uint64(x & 63)
                    hit |= table[level, z + up, x2 >> 6, row + y] >> np.uint64(x2 & 63)
                    if hit & np.uint64(1):
                        blocked[w, row] |= bit
                        free -= 1
                        break
                work += 1
    return free, work


@compiled("int64(uint64[:, ::1], int64, int64, int64, int64, boolean, boolean, int32[:, ::1])")
def _corners(blocked, x0, x1, y0, y1, from_right, from_back, found):
    """Free places of a window that are blocked along x and along y; how many there are.

    What is outside the window counts as blocked.
    """
    w0, w1 = x0 >> 6, ((x1 - 1) >> 6) + 1
    ones, one = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(1)
    count = np.int64(0)
    for turn_y in range(y1 - y0):
        y = y1 - 1 - turn_y if from_back else y0 + turn_y
        for turn_w in range(w1 - w0):
            w = w1 - 1 - turn_w if from_right else w0 + turn_w
            here = blocked[w, y]
            if here == ones:
                continue
            left = blocked[w - 1, y] >> np.uint64(63) if w > w0 else one
            right = blocked[w + 1, y] << np.uint64(63) if w + 1 < w1 else one << np.uint64(63)
            beside = (here << one) | left | (here >> one) | right
            front = blocked[w, y - 1] if y > y0 else ones
            behind = blocked[w, y + 1] if y + 1 < y1 else ones
            word = ~here & beside & (front | behind)
            while word:
                bit = word & (~word + one)
                if from_right:
                    bit = word
                    for shift in (1, 2, 4, 8, 16, 32):
                        bit |= bit >> np.uint64(shift)
                    bit ^= bit >> one
                word ^= bit
                found[count, 0] = 64 * w + _ones(bit - one)
                found[count, 1] = y
                count += 1
                if count == len(found):
                    return count
    return count


@compiled("int64(uint64[:, :, :, ::1], int16[:, ::1], int64[:], int64, int64, int64, int64, int64)")
def _contact(table, shell, turn, x, y, z, cells_x, cells_y):
    """How many cells of the shell are obstacles or beyond the floor and the side walls."""
    layers = table.shape[1]
    hits = 0
    for index in range(len(shell)):
        i = np.int64(shell[index, turn[AXES]])
        j = np.int64(shell[index, turn[AXES + 1]])
        k = np.int64(shell[index, turn[AXES + 2]])
        i = x + (turn[CELLS] - 1 - i if turn[FLIPS] else i)
        j = y + (turn[CELLS + 1] - 1 - j if turn[FLIPS + 1] else j)
        k = z + (turn[CELLS + 2] - 1 - k if turn[FLIPS + 2] else k)
        if i < 0 or i >= cells_x or j < 0 or j >= cells_y or k < 0:
            hits += 1
        elif k < layers and (table[0, k, i >> 6, j] >> np.uint64(i & 63)) & np.uint64(1):
            hits += 1
    return hits


@compiled(types.UniTuple(int64, 5)(TABLE, int64, int64, int64, SCANNED, WORTH, SCRATCH))
def find(table, cells_x, cells_y, lid, scanned, worth, scratch):
    """The place whose top is lowest, less what contact and chance are worth.

    For each turn only the lowest layer with a free place is looked at. What is known of free
    places is brought up to date.

    lid : cells; nothing may rise above it

    Returns (turn, x, y, z, work); turn is -1 where there is no place.
    """
    runs, starts, turns, shell, cursors, dirty = scanned
    contact_weight, noise, margin, from_right, from_back = worth
    state, blocked, corners = scratch
    count = len(turns)
    layer = np.full(count, -1, np.int64)
    found = np.zeros(count, np.int64)
    order = np.argsort(cursors + turns[:, CELLS + 2], kind="mergesort")
    lowest_top = lid
    work = np.int64(0)
    for o in order:
        turn = turns[o]
        begin, end = starts[turn[AXIS]], starts[turn[AXIS] + 1]
        places_x, places_y = turn[PLACES], turn[PLACES + 1]
        if places_x < 1 or places_y < 1:
            continue
        highest = min(turn[PLACES + 2] - 1, min(lid, lowest_top + margin) - turn[CELLS + 2])
        box = dirty[o]
        if box[0] < box[1]:
            x0 = max(np.int64(box[0]) - turn[CELLS] + 1, 0)
            x1 = min(np.int64(box[1]), places_x)
            y0 = max(np.int64(box[2]) - turn[CELLS + 1] + 1, 0)
            y1 = min(np.int64(box[3]), places_y)
            z = max(np.int64(box[4]) - turn[CELLS + 2] + 1, 0)
            past = min(np.int64(box[5]), cursors[o])
            if x0 >= x1 or y0 >= y1:
                z = past
            while z < past and z <= highest:
                free, more = _layer(table, runs, begin, end, turn, z, x0, x1, y0, y1, blocked)
                work += more
                if free:
                    layer[o] = z
                    found[o] = _corners(blocked, x0, x1, y0, y1, from_right, from_back, corners[o])
                    break
                z += 1
            if z >= past:
                box[0] = box[1] = 0
            else:
                box[4] = z + turn[CELLS + 2] - 1
        if layer[o] < 0:
            z = cursors[o]
            while z <= highest:
                free, more = _layer(
                    table, runs, begin, end, turn, z, 0, places_x, 0, places_y, blocked
                )
                work += more
                if free:
                    layer[o] = z
                    found[o] = _corners(
                        blocked, 0, places_x, 0, places_y, from_right, from_back, corners[o]
                    )
                    break
                z += 1
            cursors[o] = max(cursors[o], z)
        if layer[o] >= 0:
            lowest_top = min(lowest_top, layer[o] + turn[CELLS + 2])

    best = np.int64(1) << 60
    best_o, best_x, best_y, best_z = -1, np.int64(0), np.int64(0), np.int64(0)
    for o in range(count):
        if layer[o] < 0:
            continue
        turn = turns[o]
        top = layer[o] + turn[CELLS + 2]
        if top * SCORE_UNITS - contact_weight >= best or top > lowest_top + margin:
            continue
        for number in range(found[o]):
            x, y = np.int64(corners[o, number, 0]), np.int64(corners[o, number, 1])
            score = np.int64(top * SCORE_UNITS)
            if contact_weight:
                hits = _contact(table, shell, turn, x, y, layer[o], cells_x, cells_y)
                score -= contact_weight * hits // len(shell)
            if noise:
                word = state[0]
                word ^= word >> np.uint64(12)
                word ^= word << np.uint64(25)
                word ^= word >> np.uint64(27)
                state[0] = word
                chance = (word * np.uint64(2685821657736338717)) >> np.uint64(40)
                score += (np.int64(chance) * noise) >> 24
            if score < best:
                best, best_o, best_x, best_y, best_z = score, o, x, y, layer[o]
        work += found[o] * len(shell) // 8
    return best_o, best_x, best_y, best_z, work
