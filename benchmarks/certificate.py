"""The certificate of a packing beside manifold3d, and the box packer that it certifies.

1,000 pieces, 200 each of five generated parts, or with DATA=folder of five parts of the Voron
printers; 2 mm apart in 380 x 284 x 380 mm. manifold3d measures the near pairs of the first 120
pieces; both are given the same pairs, and the same reach.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the platform's workers are started

import numpy as np  # noqa: E402
from manifold3d import Error, Manifold, Mesh  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from benchmarks.kit import DATA, Figure, report  # noqa: E402
from geometry.formats.stl import read_triangles  # noqa: E402
from geometry.packing.boxes.box_packer import pack_boxes  # noqa: E402
from geometry.packing.compiled.mesh_distance import least_distance, tree_boxes  # noqa: E402
from geometry.packing.compiled.placed_mesh import transformed  # noqa: E402
from geometry.packing.export import write_3mf, write_stl  # noqa: E402
from geometry.packing.metrics import bounds_of  # noqa: E402
from geometry.packing.request import Packing, PackItem, Volume, orientations  # noqa: E402
from geometry.packing.verification.certificate import certify, certify_file  # noqa: E402
from geometry.packing.verification.clearance import REACH  # noqa: E402
from geometry.packing.verification.tree_order import tree_order  # noqa: E402
from geometry.sample_part import bracket  # noqa: E402

VOLUME, DISTANCE, EACH = Volume(380, 284, 380), 2.0, 200
MEASURED_BESIDE = 120  # pieces
FILES = [
    "Voron-2/front_idler_left_upper.stl",
    "Voron-2/[a]_fan_grill_a_x2.stl",
    "Voron-2/z_tensioner_bracket_b_x2.stl",
    "Voron-0/Right_Bottom_Front_Hinge_x1.stl",
    "Voron-2/corner_panel_clip_6mm_x8.stl",
]

Triangles = NDArray[np.float32]
Pair = tuple[int, int]
Answer = TypeVar("Answer")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        report("certificate", list(figures(Path(folder))))


def figures(folder: Path) -> Iterator[Figure]:
    pieces = [PackItem(name, part, EACH, orientations("free")) for name, part in parts()]
    packing, spent = timed(lambda: pack_boxes(pieces, VOLUME, DISTANCE))
    count = len(packing.placements)
    yield Figure(f"boxes, {count:,} pieces: CPU", "s", spent, goal="<= 3")

    certify(pieces, packing._replace(placements=(), unplaced=every(pieces)), VOLUME, DISTANCE)
    certificate, spent = timed(lambda: certify(pieces, packing, VOLUME, DISTANCE))
    triangles = sum(len(pieces[p.piece].triangles) for p in packing.placements)
    name = f"certificate, {count:,} pieces, {triangles / 1e6:.2f} million triangles: CPU"
    yield Figure(name, "s", spent, goal="<= 1")
    yield Figure("faults found", "", len(certificate.violations), goal="<= 0")
    yield Figure("smallest distance", "mm", certificate.smallest or 0.0, goal=f">= {DISTANCE:g}")
    yield Figure("near pairs", "", certificate.near_pairs)

    path = folder / "packed.stl"
    _, spent = timed(lambda: write_stl(pieces, packing, path, "packed"))
    yield Figure("STL written: CPU", "s", spent)
    read, spent = timed(lambda: certify_file(path, pieces, packing, VOLUME, DISTANCE))
    yield Figure("certificate of the file: CPU", "s", spent)
    yield Figure("it is the same", "", float(read == certificate), goal=">= 1")
    names = [f"piece {i}" for i in range(count)]
    _, spent = timed(lambda: write_3mf(pieces, packing, folder / "packed.3mf", names, {}))
    yield Figure("3MF written: CPU", "s", spent)
    sizes = [(folder / name).stat().st_size for name in ("packed.3mf", "packed.stl")]
    yield Figure("3MF to STL, bytes", "", sizes[0] / sizes[1])
    yield from beside_manifold(pieces, packing)


def beside_manifold(pieces: list[PackItem], packing: Packing) -> Iterator[Figure]:
    chosen = packing.placements[:MEASURED_BESIDE]
    solids = [transformed(pieces[p.piece].triangles, p.transform) for p in chosen]
    bodies = [manifold(solid) for solid in solids]
    pairs = [
        pair for pair in near_pairs(solids) if all(bodies[i] is not None for i in pair)
    ]  # fmt: skip
    trees = [tree(solid) for solid in solids]  # as manifold3d has made its own
    ours, spent = timed(
        lambda: [least_distance(*trees[i], *trees[j], reach())[0] for i, j in pairs]
    )
    theirs, peer = timed(lambda: [bodies[i].min_gap(bodies[j], reach()) for i, j in pairs])
    yield Figure(f"{len(pairs):,} pairs, trees made: CPU", "s", spent, peer, goal="ratio <= 0.1")
    apart = float(np.abs(np.array(ours) - np.array(theirs)).max())
    yield Figure("distances differ by at most", "mm", apart, goal="<= 1e-4")


def tree(solid: Triangles) -> tuple[Triangles, NDArray[np.float32]]:
    order = tree_order(solid)
    ordered = np.ascontiguousarray(solid[order.reshape(-1)])
    return ordered, tree_boxes(ordered, len(order))


def near_pairs(solids: list[Triangles]) -> list[Pair]:
    bounds = np.array([bounds_of(solid) for solid in solids])
    first, second = np.triu_indices(len(solids), 1)
    gaps = np.maximum(bounds[first, 0] - bounds[second, 1], bounds[second, 0] - bounds[first, 1])
    near = (np.maximum(gaps, 0) ** 2).sum(axis=1) < reach() ** 2
    return list(zip(first[near].tolist(), second[near].tolist(), strict=True))


def reach() -> float:
    return max(2 * DISTANCE, REACH)


def manifold(triangles: Triangles) -> Any:
    """None where manifold3d does not take the part."""
    corners, faces = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    body = Manifold(Mesh(corners, faces.reshape(-1, 3).astype(np.uint32)))
    return body if body.status() == Error.NoError else None


def every(pieces: list[PackItem]) -> tuple[Pair, ...]:
    return tuple((i, copy) for i, piece in enumerate(pieces) for copy in range(piece.quantity))


def parts() -> Iterator[tuple[str, Triangles]]:
    if DATA:
        yield from ((name, read_triangles(DATA / name)) for name in FILES)
        return
    yield "bracket", bracket() * np.float32(0.6)
    ring = Manifold.cylinder(6, 16, circular_segments=96)
    yield "ring", triangles_of(ring - Manifold.cylinder(20, 11, 11, 96, True))  # noqa: FBT003
    cup = Manifold.cylinder(22, 10, 14, 96) - Manifold.cylinder(30, 8, 14, 96).translate((0, 0, 2))
    yield "cup", triangles_of(cup)
    angle = Manifold.cube((40, 4, 15)) + Manifold.cube((4, 25, 15))
    yield "angle", triangles_of(angle - Manifold.cylinder(20, 3, 3, 48).translate((20, 2, 0)))
    yield "ball", triangles_of(Manifold.sphere(6, 64))


def triangles_of(body: Manifold) -> Triangles:
    mesh = body.to_mesh()
    return np.asarray(mesh.vert_properties, dtype=np.float32)[:, :3][mesh.tri_verts] + np.float32(0)


def timed(job: Callable[[], Answer]) -> tuple[Answer, float]:
    """What it gives, and the processor time that it took, s."""
    begun = time.process_time()
    answer = job()
    return answer, time.process_time() - begun


if __name__ == "__main__":
    main()
