"""Moved triangles: sums in float64, rounded once, the same bits as without a compiler."""

import numpy as np

from geometry.packing.compiled.placed_mesh import transformed
from geometry.packing.request import orientations


def test_compiled_transform_matches_numpy_bit_for_bit():
    rng = np.random.default_rng(3)
    triangles = rng.normal(0, 100, (2_000, 3, 3)).astype(np.float32)

    for _ in range(10):
        rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        transform = transform_of(rotation, rng.normal(0, 300, 3))

        assert (
            transformed(triangles, transform).tobytes() == by_numpy(triangles, transform).tobytes()
        )


def test_quarter_turns_are_exact():
    triangles = np.arange(9, dtype=np.float32).reshape(1, 3, 3) / 8

    for rotation in orientations("free"):
        moved = transformed(triangles, transform_of(rotation, (1.0, 2.0, 3.0)))

        assert (moved == triangles @ rotation.T + (1.0, 2.0, 3.0)).all()


def test_strided_rows_of_a_file_are_transformed():
    rows = np.zeros(4, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3))])
    rows["corners"] = np.arange(36).reshape(4, 3, 3)

    assert (transformed(rows["corners"], np.eye(4)) == rows["corners"]).all()


def transform_of(rotation, shift):
    transform = np.eye(4)
    transform[:3, :3], transform[:3, 3] = rotation, shift
    return transform


def by_numpy(triangles, transform):
    x, y, z = triangles.reshape(-1, 3).T.astype(np.float64)
    rows = transform[:3].tolist()
    columns = [a * x + b * y + c * z + start for a, b, c, start in rows]
    return np.stack(columns, axis=1).astype(np.float32)
