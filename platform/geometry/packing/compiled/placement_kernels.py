"""Compiled search for the lowest free placement in a voxel grid."""

import numpy as np
from numba import int64, types

from geometry.packing.compiled.bitset_kernels import (
    AXES,
    AXIS,
    CELLS,
    FLIPS,
    PLACES,
    layer,
    mask,
    ones,
)
from geometry.packing.compiled.kernel_types import SCANNED, SCRATCH, TABLE, WORTH
from jit import compiled

CORNERS = 300  # places of a layer that are judged, at most
SCORE_UNITS = 1024  # of a cell


@compiled("UniTuple(int64, 4)(int32[:, ::1], int64, int64[:], uint64[:, ::1])")
def _ask(dirty, active, turn, asked):
    """Clear the bits in `asked` of the places that could meet cells of the active boxes.

    Returns their window, x0, x1, y0, y1, outside of which nothing is written.
    """
    x0, x1 = turn[PLACES], np.int64(0)
    y0, y1 = turn[PLACES + 1], np.int64(0)
    for fill in range(2):
        if fill and (x0 >= x1 or y0 >= y1):
            break
        if fill:
            asked[x0 >> 6 : ((x1 - 1) >> 6) + 1, y0:y1] = ~np.uint64(0)
        for number in range(len(dirty)):
            if not (active >> number) & 1:
                continue
            box = dirty[number]
            left = max(np.int64(box[0]) - turn[CELLS] + 1, 0)
            right = min(np.int64(box[1]), turn[PLACES])
            front = max(np.int64(box[2]) - turn[CELLS + 1] + 1, 0)
            back = min(np.int64(box[3]), turn[PLACES + 1])
            if left >= right or front >= back:
                continue
            if fill:
                for w in range(left >> 6, ((right - 1) >> 6) + 1):
                    asked[w, front:back] &= ~mask(w, left, right - 1)
            else:
                x0, x1 = min(x0, left), max(x1, right)
                y0, y1 = min(y0, front), max(y1, back)
    return x0, x1, y0, y1


@compiled("void(int32[:, :, ::1], int64[::1], int64, int64, int64, int64, int64, int64)")
def spoil(dirty, counts, x0, x1, y0, y1, z0, z1):
    """Add a box to the dirty ones of all turns; where they are full, to that which grows least."""
    for turn in range(len(counts)):
        count = counts[turn]
        best, least = np.int64(-1), np.int64(1) << 60
        for number in range(count):
            box = dirty[turn, number]
            whole = (max(box[1], x1) - min(box[0], x0)) * (max(box[3], y1) - min(box[2], y0))
            whole *= max(box[5], z1) - min(box[4], z0)
            own = np.int64(box[1] - box[0]) * (box[3] - box[2]) * (box[5] - box[4])
            if whole - own < least:
                best, least = np.int64(number), whole - own
        if count < dirty.shape[1] and least > 0:
            box = dirty[turn, count]
            box[0], box[1], box[2], box[3], box[4], box[5] = x0, x1, y0, y1, z0, z1
            counts[turn] += 1
        elif least > 0:
            box = dirty[turn, best]
            box[0], box[1] = min(box[0], x0), max(box[1], x1)
            box[2], box[3] = min(box[2], y0), max(box[3], y1)
            box[4], box[5] = min(box[4], z0), max(box[5], z1)


@compiled("int64(uint64[:, ::1], int64, int64, int64, int64, boolean, boolean, int32[:, ::1])")
def _corners(blocked, x0, x1, y0, y1, from_right, from_back, found):
    """Free places of a window that are blocked along x and along y; how many there are.

    What is outside the window counts as blocked.
    """
    w0, w1 = x0 >> 6, ((x1 - 1) >> 6) + 1
    all_ones, one = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(1)
    count = np.int64(0)
    for turn_y in range(y1 - y0):
        y = y1 - 1 - turn_y if from_back else y0 + turn_y
        for turn_w in range(w1 - w0):
            w = w1 - 1 - turn_w if from_right else w0 + turn_w
            here = blocked[w, y]
            if here == all_ones:
                continue
            left = blocked[w - 1, y] >> np.uint64(63) if w > w0 else one
            right = blocked[w + 1, y] << np.uint64(63) if w + 1 < w1 else one << np.uint64(63)
            beside = (here << one) | left | (here >> one) | right
            front = blocked[w, y - 1] if y > y0 else all_ones
            behind = blocked[w, y + 1] if y + 1 < y1 else all_ones
            word = ~here & beside & (front | behind)
            while word:
                bit = word & (~word + one)
                if from_right:
                    bit = word
                    for shift in (1, 2, 4, 8, 16, 32):
                        bit |= bit >> np.uint64(shift)
                    bit ^= bit >> one
                word ^= bit
                found[count, 0] = 64 * w + ones(bit - one)
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


@compiled("int64(int32[:, ::1], int64, int64)")
def _active(boxes, z, height):
    """Return the set, as bits, of boxes that a shape of this height meets from layer z up."""
    active = np.int64(0)
    for number in range(len(boxes)):
        if boxes[number, 4] - height < z < boxes[number, 5]:
            active |= np.int64(1) << number
    return active


@compiled("int64(int32[:, ::1], int64, int64, int64)")
def _keep_unsearched(boxes, z, past, height):
    """Move the boxes that reach above the last searched layer to the front; return how many."""
    kept = 0
    for number in range(len(boxes)):
        if z < past and z < boxes[number, 5]:
            boxes[kept] = boxes[number]
            boxes[kept, 4] = max(np.int64(boxes[kept, 4]), z + height - 1)
            kept += 1
    return kept


@compiled(types.UniTuple(int64, 4)(TABLE, int64, int64, SCANNED, WORTH, SCRATCH))
def _search_freed(table, o, highest, scanned, worth, scratch):
    """Search the layers below the cursor of turn `o`, only where cells were freed since.

    Returns (z, candidates, runs that have offsets, work); z is -1 where there is no free place.
    """
    runs, starts, turns, _, cursors, dirty, counts = scanned
    _, blocked, asked, corners, offsets = scratch
    turn, boxes, past = turns[o], dirty[o, : counts[o]], cursors[o]
    begin, end, height = starts[turn[AXIS]], starts[turn[AXIS] + 1], turn[CELLS + 2]
    lowest, found, ready, work = np.int64(-1), np.int64(0), np.int64(0), np.int64(0)
    asked_of, x0, x1, y0, y1 = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    z = past
    for number in range(len(boxes)):
        z = min(z, max(np.int64(boxes[number, 4]) - height + 1, 0))
    while z < past and z <= highest:
        active = _active(boxes, z, height)
        if active != asked_of:
            asked_of = active
            x0, x1, y0, y1 = _ask(boxes, active, turn, asked)
        if active and x0 < x1 and y0 < y1:
            for w in range(x0 >> 6, ((x1 - 1) >> 6) + 1):
                blocked[w, y0:y1] = asked[w, y0:y1]
            free, ready, more = layer(
                table, runs, begin, end, ready, turn, z, x0, x1, y0, y1, blocked, offsets
            )
            work += more
            if free:
                lowest = z
                found = _corners(
                    blocked, x0, x1, y0, y1, worth.from_right, worth.from_back, corners[o]
                )
                break
        z += 1
    counts[o] = _keep_unsearched(boxes, z, past, height)
    return lowest, found, ready, work


@compiled(types.UniTuple(int64, 3)(TABLE, int64, int64, int64, SCANNED, WORTH, SCRATCH))
def _search_up(table, o, highest, ready, scanned, worth, scratch):
    """Search the whole layers from the cursor of turn `o` up, and move the cursor.

    Returns (z, candidates, work); z is -1 where there is no free place.
    """
    runs, starts, turns, _, cursors, _, _ = scanned
    _, blocked, _, corners, offsets = scratch
    turn, zero = turns[o], np.int64(0)
    begin, end = starts[turn[AXIS]], starts[turn[AXIS] + 1]
    places_x, places_y = turn[PLACES], turn[PLACES + 1]
    lowest, found, work = np.int64(-1), zero, zero
    z = cursors[o]
    while z <= highest:
        for w in range(((places_x - 1) >> 6) + 1):
            blocked[w, :places_y] = ~mask(w, 0, places_x - 1)
        free, ready, more = layer(
            table,
            runs,
            begin,
            end,
            ready,
            turn,
            z,
            zero,
            places_x,
            zero,
            places_y,
            blocked,
            offsets,
        )
        work += more
        if free:
            lowest = z
            found = _corners(
                blocked, 0, places_x, 0, places_y, worth.from_right, worth.from_back, corners[o]
            )
            break
        z += 1
    cursors[o] = max(cursors[o], z)
    return lowest, found, work


@compiled("int64(uint64[::1], int64)")
def _random(state, most):
    """Return the next random number below `most` (xorshift64*, Vigna 2016)."""
    word = state[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    state[0] = word
    chance = (word * np.uint64(2685821657736338717)) >> np.uint64(40)
    return (np.int64(chance) * most) >> 24


@compiled(
    types.UniTuple(int64, 3)(
        TABLE, int64, int64, int64, int64, int64, int64, SCANNED, WORTH, SCRATCH
    )
)
def _best_corner(table, o, z, candidates, best, cells_x, cells_y, scanned, worth, scratch):
    """Return (score, x, y) of the candidate of turn `o` with the least score below `best`."""
    turn, shell = scanned.turns[o], scanned.shell
    best_x, best_y = np.int64(0), np.int64(0)
    for number in range(candidates):
        x, y = np.int64(scratch.corners[o, number, 0]), np.int64(scratch.corners[o, number, 1])
        score = (z + turn[CELLS + 2]) * SCORE_UNITS
        if worth.contact:
            hits = _contact(table, shell, turn, x, y, z, cells_x, cells_y)
            score -= worth.contact * hits // len(shell)
        if worth.noise:
            score += _random(scratch.chance, worth.noise)
        if score < best:
            best, best_x, best_y = score, x, y
    return best, best_x, best_y


@compiled(types.UniTuple(int64, 5)(TABLE, int64, int64, int64, SCANNED, WORTH, SCRATCH))
def find(table, cells_x, cells_y, lid, scanned, worth, scratch):
    """The place whose top is lowest, less what contact and chance are worth.

    For each turn only the lowest layer with a free place is looked at. What is known of free
    places is brought up to date.

    lid : cells; nothing may rise above it

    Returns (turn, x, y, z, work); turn is -1 where there is no place.
    """
    turns, cursors = scanned.turns, scanned.cursors
    count = len(turns)
    lowest = np.full(count, -1, np.int64)
    found = np.zeros(count, np.int64)
    lowest_top = lid
    work = np.int64(0)
    for o in np.argsort(cursors + turns[:, CELLS + 2], kind="mergesort"):
        turn = turns[o]
        if turn[PLACES] < 1 or turn[PLACES + 1] < 1:
            continue
        highest = min(turn[PLACES + 2] - 1, min(lid, lowest_top + worth.margin) - turn[CELLS + 2])
        lowest[o], found[o], ready, more = _search_freed(table, o, highest, scanned, worth, scratch)
        work += more
        if lowest[o] < 0:
            lowest[o], found[o], more = _search_up(
                table, o, highest, ready, scanned, worth, scratch
            )
            work += more
        if lowest[o] >= 0:
            lowest_top = min(lowest_top, lowest[o] + turn[CELLS + 2])

    best = np.int64(1) << 60
    best_o, best_x, best_y, best_z = -1, np.int64(0), np.int64(0), np.int64(0)
    for o in range(count):
        top = lowest[o] + turns[o, CELLS + 2]
        if lowest[o] < 0 or top > lowest_top + worth.margin:
            continue
        if top * SCORE_UNITS - worth.contact >= best:
            continue
        score, x, y = _best_corner(
            table, o, lowest[o], found[o], best, cells_x, cells_y, scanned, worth, scratch
        )
        if score < best:
            best, best_o, best_x, best_y, best_z = score, o, x, y, lowest[o]
        work += found[o] * len(scanned.shell) // 8
    return best_o, best_x, best_y, best_z, work
