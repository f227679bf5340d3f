"""Rays: by Embree, and by the tree that stands for it where there is none."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geometry.printability import assess
from geometry.ray_casting import EmbreeCaster, Rays, TreeCaster, best_caster
from tests.geometry.shapes import ball, box

ALIKE = 1e-6  # of the diagonal

needs_embree = pytest.mark.skipif(
    isinstance(best_caster(box((0, 0, 0), (1, 1, 1))), TreeCaster), reason="has no Embree"
)


def rays_through(triangles, random, count=2000):
    """Origins about a mesh and within it, and unit directions, some of them along an axis."""
    corners = triangles.reshape(-1, 3)
    low, high = corners.min(axis=0), corners.max(axis=0)
    origins = low + random.uniform(-0.2, 1.2, (count, 3)) * (high - low)
    directions = random.normal(size=(count, 3))
    directions[::10] = np.eye(3)[random.integers(0, 3, len(directions[::10]))]
    return origins, directions / np.linalg.norm(directions, axis=1, keepdims=True)


def assert_alike(triangles, origins, directions):
    """Equal, but that a ray along a surface meets it where Embree's single precision rounds to."""
    diagonal = float(np.linalg.norm(np.ptp(triangles.reshape(-1, 3), axis=0)))
    rays = Rays(triangles, 0.0, EmbreeCaster)
    far, facets = rays.first(origins, directions)
    own, own_facets = Rays(triangles, 0.0, TreeCaster).first(origins, directions)

    assert ((facets >= 0) == (own_facets >= 0)).all()
    hit = facets >= 0
    across = np.abs((rays.normals(facets[hit]) * directions[hit]).sum(axis=1))
    errors = np.abs(far - own)[hit]
    assert (errors * across).max(initial=0.0) <= ALIKE * diagonal
    assert errors[across > 0.1].max(initial=0.0) <= ALIKE * diagonal


@needs_embree
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(1, 300))
def test_tree_caster_matches_embree_on_random_triangles(seed, count):
    random = np.random.default_rng(seed)
    triangles = random.normal(size=(count, 1, 3)) * 10 + random.normal(size=(count, 3, 3))

    assert_alike(triangles.astype(np.float32), *rays_through(triangles, random))


@needs_embree
def test_tree_caster_matches_embree_on_solids():
    random = np.random.default_rng(1)
    for solid in (ball(40), box((-5, -4, -3), (5, 4, 3))):
        triangles = solid.astype(np.float32)
        assert_alike(triangles, *rays_through(triangles, random, 20_000))


def test_rays_through_edges_and_vertices_hit():
    cube = box((-5, -5, -5), (5, 5, 5))
    places = np.array([(0, 0, -9), (5, 5, -9), (0, 5, -9), (2, 2, -9), (-5, 0, -9)], float)

    far, facets = Rays(cube, 0.0, TreeCaster).first(places, np.tile([0.0, 0, 1], (5, 1)))

    assert (facets >= 0).all()
    assert far == pytest.approx([4.0] * 5)


def test_rays_without_a_hit_return_infinity_and_no_facet():
    far, facets = Rays(box((0, 0, 0), (1, 1, 1)), 0.0, TreeCaster).first(
        np.array([(5.0, 5, 5), (0.5, 0.5, 2)]), np.array([(1.0, 0, 0), (0, 0, 1)])
    )

    assert np.isinf(far).all()
    assert (facets == -1).all()


def test_degenerate_triangles_are_never_hit():
    triangles = np.concatenate([np.zeros((1, 3, 3)), box((1, 1, 1), (2, 2, 2))]).astype(np.float32)

    _, facets = Rays(triangles, 0.0, TreeCaster).first(
        np.array([(-1.0, 0, 0), (1.5, 1.5, 0)]), np.array([(1.0, 0, 0), (0, 0, 1)])
    )

    assert facets[0] == -1
    assert facets[1] > 0


@needs_embree
@pytest.mark.parametrize("solid", [ball(30), box((0, 0, 0), (30, 2, 10))])
def test_printability_is_the_same_without_embree(stl, monkeypatch, solid):
    hollow = np.concatenate([solid, (solid * 0.5 + solid.mean(axis=(0, 1)) * 0.5)[:, ::-1]])
    path = stl(hollow.astype(np.float32))

    first = assess(path, closed=True)._asdict()
    monkeypatch.setitem(sys.modules, "embreex.mesh_construction", None)
    second = assess(path, closed=True)._asdict()

    places = {name for name in first if name.endswith("_at")}
    for name in first.keys() - places:
        assert second[name] == pytest.approx(first[name], rel=1e-4), name
