"""Distances of points from the triangles of a surface."""

import itertools
import math

import numpy as np
import pytest

from geometry.mesh.aabb_tree import AabbTree


def test_aabb_tree_finds_the_nearest_point_of_a_triangle():
    triangle = np.array([[[0.0, 0, 0], [4, 0, 0], [0, 4, 0]]])

    nearest = AabbTree(triangle).nearest(np.array([[1.0, 1, 2], [-3, 0, 4], [4, 4, 0]]))

    assert nearest.distances == pytest.approx([2, 5, math.sqrt(8)])
    assert nearest.points == pytest.approx(np.array([[1, 1, 0], [0, 0, 0], [2, 2, 0]]))


def test_aabb_tree_distances_match_the_minimum_over_all_triangles():
    triangles = np.random.default_rng(1).normal(size=(300, 3, 3))
    points = np.random.default_rng(0).normal(size=(50, 3))
    alone = np.array([AabbTree(triangle[None]).distances(points) for triangle in triangles])
    tree = AabbTree(triangles)

    nearest = tree.nearest(points)

    assert nearest.distances == pytest.approx(alone.min(axis=0), abs=1e-12)
    assert np.linalg.norm(points - nearest.points, axis=1) == pytest.approx(nearest.distances)
    assert alone[nearest.facets, np.arange(50)] == pytest.approx(nearest.distances, abs=1e-12)
    assert (tree.distances(points, below=0.5) == np.minimum(tree.distances(points), 0.5)).all()
    assert tree.farthest(points, 0.0) == pytest.approx(nearest.distances.max())
    assert tree.farthest(points, 9.0) == 9


@pytest.mark.parametrize("corners", itertools.product([0.0, 3.0, 5.0], repeat=3))
def test_aabb_tree_accepts_degenerate_triangles(corners):
    triangle = np.array([[[x, 0, 0] for x in corners]])
    points = np.array([[x, 1.0, 0] for x in (-1, 0, 2, 3, 4, 5, 7)])

    beyond = np.maximum(min(corners) - points[:, 0], points[:, 0] - max(corners)).clip(min=0)
    assert AabbTree(triangle).distances(points) == pytest.approx(np.hypot(beyond, 1))
