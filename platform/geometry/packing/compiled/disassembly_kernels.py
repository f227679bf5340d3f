"""Compiled disassembly moves over labelled cells.

`owners` is [z, y, x] int16: 0, or 1 + the number of the piece whose V the cell belongs to.
"""

import numpy as np

from geometry.packing.compiled.bitset_kernels import AXES, CELLS, FLIPS
from jit import compiled


@compiled("int64(int16[:], int64, int64[:], int64)")
def _coordinate(run, axis, turn, way):
    """Where a run along the model's `axis` begins, on one of the build's axes."""
    model_axis = turn[AXES + way]
    if model_axis == axis:
        at, length = np.int64(run[2]), np.int64(run[3])
    else:
        first = 1 if axis == 0 else 0
        at, length = np.int64(run[0] if model_axis == first else run[1]), np.int64(1)
    return turn[CELLS + way] - at - length if turn[FLIPS + way] else at


@compiled("void(int16[:, :, ::1], int16[:, ::1], int64[:], int64[:], int64, int64, int64, int64)")
def stamp(owners, runs, starts, turn, x, y, z, owner):
    """Write the owner into the cells of a placed V."""
    axis = turn[AXES]
    for index in range(starts[axis], starts[axis + 1]):
        run = runs[index]
        i = x + _coordinate(run, axis, turn, 0)
        j = y + _coordinate(run, axis, turn, 1)
        k = z + _coordinate(run, axis, turn, 2)
        for step in range(np.int64(run[3])):
            owners[k, j, i + step] = owner


@compiled(
    "int64(int16[:, :, ::1], int16[:, ::1], int64[:], int64[:], int64, int64, int64, int64, int64,"
    " int64)"
)
def blocker(owners, runs, starts, turn, x, y, z, owner, way, step):
    """The first other owner met when V is drawn along +-x, +-y or +-z; 0 if it comes out."""
    axis = turn[AXES + way]
    size = owners.shape[2 - way]
    at = np.empty(3, np.int64)
    for index in range(starts[axis], starts[axis + 1]):
        run = runs[index]
        at[0] = x + _coordinate(run, axis, turn, 0)
        at[1] = y + _coordinate(run, axis, turn, 1)
        at[2] = z + _coordinate(run, axis, turn, 2)
        if step > 0:
            at[way] += np.int64(run[3])
        else:
            at[way] -= 1
        while 0 <= at[way] < size:
            met = owners[at[2], at[1], at[0]]
            if met == owner:
                break  # from there on the next run of the same line sweeps
            if met:
                return np.int64(met)
            at[way] += step
    return np.int64(0)


@compiled("int16[:, :](int16[:, ::1], int64[:], int64[:])")
def skin(runs, starts, turn):
    """(n, 3): the ends of all runs of V, x, y, z in its turned block; some come twice."""
    cells = np.empty((2 * len(runs), 3), np.int16)
    count = 0
    for axis in range(3):
        for index in range(starts[axis], starts[axis + 1]):
            run = runs[index]
            for end in range(2):
                for way in range(3):
                    at = _coordinate(run, axis, turn, way)
                    if turn[AXES + way] == axis and end:
                        at += np.int64(run[3]) - 1
                    cells[count, way] = at
                count += 1
    return cells


@compiled("boolean(int16[:, :, ::1], int16[:, :], int64[:], int64, int64, int64, int64, int64)")
def walks_out(owners, skin, size, x, y, z, owner, states):
    """Whether steps of one cell along the axes take V out; at most `states` places are tried.

    Breadth first. As it moves by single cells, V meets others with its skin before anything else.
    """
    room_z, room_y, room_x = owners.shape
    wide, deep, high = room_x + size[0] + 1, room_y + size[1] + 1, room_z + size[2] + 1
    seen = np.zeros((high, deep, (wide >> 3) + 1), np.uint8)  # a bit for each place
    queue = np.empty((states + 6, 3), np.int16)
    queue[0, 0], queue[0, 1], queue[0, 2] = x, y, z
    at = x + size[0]
    seen[z + size[2], y + size[1], at >> 3] = 1 << (at & 7)
    head, tail = 0, 1
    while head < tail and tail < states:
        i, j, k = queue[head]
        head += 1
        for move in range(6):
            a, b, c = np.int64(i), np.int64(j), np.int64(k)
            forward = 1 - 2 * (move & 1)
            if move < 2:
                c += forward
            elif move < 4:
                a += forward
            else:
                b += forward
            if (
                a <= -size[0]
                or b <= -size[1]
                or c <= -size[2]
                or a >= room_x
                or b >= room_y
                or c >= room_z
            ):
                return True
            at = a + size[0]
            marks = np.int64(seen[c + size[2], b + size[1], at >> 3])
            if (marks >> (at & 7)) & 1:
                continue
            seen[c + size[2], b + size[1], at >> 3] = marks | (1 << (at & 7))
            free = True
            for index in range(len(skin)):
                u = a + np.int64(skin[index, 0])
                v = b + np.int64(skin[index, 1])
                w = c + np.int64(skin[index, 2])
                if 0 <= u < room_x and 0 <= v < room_y and 0 <= w < room_z:
                    met = owners[w, v, u]
                    if met and met != owner:
                        free = False
                        break
            if free:
                queue[tail, 0], queue[tail, 1], queue[tail, 2] = a, b, c
                tail += 1
    return False
