"""Parts that nest: brackets, rings, cups and frames, or a folder's real ones."""

import csv
import hashlib
from pathlib import Path

import numpy as np
import trimesh
from manifold3d import Manifold
from numpy.typing import NDArray

from geometry.formats.stl import read_triangles
from geometry.mesh import InvalidMesh, mesh_volume
from geometry.packing.request import PackItem, Volume, orientations

Instance = tuple[list[PackItem], Volume]

FREE = orientations("free")
MAX_SIDE = 250.0  # mm, of a part that is drawn
SMALL_PARTS = [
    "Voron-2/front_idler_left_upper.stl",
    "Voron-2/[a]_fan_grill_a_x2.stl",
    "Voron-2/z_tensioner_bracket_b_x2.stl",
    "Voron-0/Right_Bottom_Front_Hinge_x1.stl",
    "Voron-2/corner_panel_clip_6mm_x8.stl",
]


def generated() -> dict[str, Instance]:
    """Some 40 different parts, one of each and four of each."""
    parts = [part for size in (24.0, 33.0, 46.0, 60.0) for part in _family(size)]
    return {
        "generated": (_pieces(parts, 1), Volume(150, 150, 300)),
        "generated x4": (_pieces(parts, 4), Volume(220, 220, 600)),
    }


def of_printers(folder: Path) -> dict[str, Instance]:
    """The printed parts of two printers, one of each and four of each; 200 each of five."""
    names = sorted(
        path.relative_to(folder).as_posix()
        for printer in ("Voron-0", "Voron-2")
        for path in (folder / printer).rglob("*")
        if path.suffix.lower() == ".stl"
    )
    parts = [(name, read_triangles(folder / name)) for name in names]
    small = [(name, read_triangles(folder / name)) for name in SMALL_PARTS]
    return {
        "V43": (_pieces(parts, 1), Volume(190, 190, 200)),
        "V43x4": (_pieces(parts, 4), Volume(340, 340, 600)),
        "K1000": (_pieces(small, 200), Volume(380, 284, 380)),
    }


def of_all(folder: Path) -> Instance:
    """One of each real model of the folder's MANIFEST.csv, brought to sizes of 25 to 110 mm."""
    parts = []
    with open(folder / "MANIFEST.csv", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["file"])
    for row in rows:
        if row["kind"] == "real" and row["format"] in ("stl", "obj", "off", "ply"):
            triangles = _read(folder / row["file"], row["format"])
            if triangles is not None and (part := _sized(row["file"], triangles)) is not None:
                parts.append((row["file"], part))
    return _pieces(parts, 1), Volume(340, 340, 600)


def drawn(folder: Path, seed: int) -> Instance:
    """A set that chance draws of all printable STL files in a folder, one to eight of each.

    The plate is a little wider than a cube of all that the parts' boxes hold.
    """
    rng = np.random.default_rng(seed)
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".stl")
    pieces: list[PackItem] = []
    wanted = int(rng.integers(12, 41))
    for number in rng.permutation(len(paths)).tolist():
        name = paths[number].relative_to(folder).as_posix()
        triangles = _read(paths[number], "stl")
        if triangles is None or (part := _sized(name, triangles)) is None:
            continue
        if np.ptp(part.reshape(-1, 3), axis=0).max() <= MAX_SIDE:
            pieces.append(PackItem(name, part, int(rng.integers(1, 9)), FREE))
        if len(pieces) == wanted:
            break
    sides = [np.ptp(piece.triangles.reshape(-1, 3), axis=0) for piece in pieces]
    boxes = sum(float(np.prod(s)) * p.quantity for s, p in zip(sides, pieces, strict=True))
    plate = 10.0 * round(max(1.2 * boxes ** (1 / 3), *(side.max() for side in sides)) / 10 + 1)
    return pieces, Volume(plate, plate, 900.0)


def _pieces(parts: list[tuple[str, NDArray[np.float32]]], quantity: int) -> list[PackItem]:
    return [PackItem(name, triangles, quantity, FREE) for name, triangles in parts]


def _read(path: Path, form: str) -> NDArray[np.float32] | None:
    try:
        if form == "stl":
            return read_triangles(path)
        mesh = trimesh.load(path, force="mesh", process=False)
    except (InvalidMesh, ValueError, IndexError):
        return None
    return np.asarray(mesh.triangles, dtype=np.float32)


def _sized(name: str, triangles: NDArray[np.float32]) -> NDArray[np.float32] | None:
    if not 12 <= len(triangles) <= 300_000 or not np.isfinite(triangles).all():
        return None
    corners = triangles.reshape(-1, 3)
    extents = (corners.max(axis=0) - corners.min(axis=0)).astype(np.float64)
    if extents.min() <= 0 or extents.min() < 0.01 * extents.max():
        return None
    if not 15 <= extents.max() <= 150 and not name.startswith("Voron"):
        share = int(hashlib.sha1(name.encode()).hexdigest(), 16) % 1000 / 1000
        longest = 25 * (110 / 25) ** share
        triangles = (triangles * (longest / extents.max())).astype(np.float32)
    return None if abs(mesh_volume(triangles)) < 30 else triangles


def _family(size: float) -> list[tuple[str, NDArray[np.float32]]]:
    """Ten parts of one size, mm."""
    wall, half = size / 9, size / 2

    def cube(x: float, y: float, z: float) -> Manifold:
        return Manifold.cube((x, y, z))

    def tube(radius: float, bore: float, length: float) -> Manifold:
        return Manifold.cylinder(length, radius, circular_segments=48) - Manifold.cylinder(
            3 * length, bore, circular_segments=48
        ).translate((0, 0, -length))

    angle = cube(size, half, wall) + cube(wall, half, size * 0.8)
    clamp = cube(size, half, half) - cube(size - 2 * wall, half + 2, half).translate(
        (wall, -1, wall)
    )
    cup = cube(half, half, size * 0.7) - cube(half - 2 * wall, half - 2 * wall, size).translate(
        (wall, wall, wall)
    )
    frame = cube(size, size * 0.8, wall) - cube(
        size - 2 * wall, size * 0.8 - 2 * wall, 3 * wall
    ).translate((wall, wall, -wall))
    comb = cube(size, half, wall)
    for tooth in range(4):
        comb += cube(wall, half, size * 0.4).translate((tooth * (size - wall) / 3, 0, 0))
    bodies = {
        "angle": angle,
        "angle-with-holes": angle
        - Manifold.cylinder(size, wall, circular_segments=32).translate((half, half / 2, -1)),
        "clamp": clamp,
        "cup": cup,
        "frame": frame,
        "comb": comb,
        "ring": tube(half, half - wall, wall * 2),
        "tube": tube(half * 0.6, half * 0.6 - wall, size),
        "tee": cube(size, wall, half) + cube(wall, size * 0.6, half).translate((half, 0, 0)),
        "gusset": angle + cube(size * 0.5, wall, size * 0.5).translate((0, half / 2, 0)),
    }
    return [(f"{name}-{size:g}.stl", _triangles(body)) for name, body in bodies.items()]


def _triangles(body: Manifold) -> NDArray[np.float32]:
    mesh = body.to_mesh()
    return np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)].astype(np.float32)
