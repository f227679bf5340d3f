"""Pictures of an 84,000 triangle part in a warm process beside pyrender's own of the same part.

Same place of the camera, same size. Ours have soft shadows and shaded corners from the first sample
on; pyrender's are one light, without shadows or with its shadow map. An upload's own picture is one
of 800 x 600 with 32 samples.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.kit import FULL, Figure, in_turn, report, torus
from geometry import rendering
from geometry.drawable import prepare
from geometry.rendering import View
from geometry.rendering_gl import render

np.infty = np.inf  # type: ignore[attr-defined]  # pyrender's meshes still call it so
ROUNDS = 15 if FULL else 5
VIEWS = {
    "0 samples": View(samples=0),
    "16 samples": View(samples=16),
    "64 samples": View(),
    "an upload's": View(width=800, height=600, samples=32),
}


def main() -> None:
    part = torus(84_000)
    jobs: dict[str, Callable] = {
        name: lambda view=view: render(part, view, closed=True) for name, view in VIEWS.items()
    }
    begun = time.perf_counter()
    jobs["0 samples"]()
    first = time.perf_counter() - begun
    jobs["plain"], jobs["with shadows"] = peer(part, VIEWS["0 samples"])
    costs = in_turn(jobs, rounds=ROUNDS)

    plain, shadows = costs["plain"], costs["with shadows"]
    figures = [
        Figure("0 samples: wall", "s", costs["0 samples"].wall, plain.wall, "ratio <= 0.6"),
        Figure("0 samples: CPU", "s", costs["0 samples"].cpu, plain.cpu),
        Figure("first picture, 0 samples: wall", "s", first),
    ]
    for name in VIEWS:
        figures.append(Figure(f"{name}: CPU, with shadows", "s", costs[name].cpu, shadows.cpu))
    report("rendering", figures)


def peer(triangles: NDArray[np.float32], view: View) -> tuple[Callable, Callable]:
    """pyrender's own pictures of the same part from the same place, without and with shadows."""
    import pyrender  # after our module has chosen EGL

    drawable = prepare(triangles, shadows=False)
    surface, _, _, center, radius, _, _ = drawable
    camera = rendering.place_camera(view, surface.vertices, center, radius)
    pose = np.eye(4)
    pose[:3] = np.column_stack([camera.right, camera.up, -camera.forward, camera.eye])
    corners = surface.vertices[surface.faces].reshape(-1, 3)
    a, b, c = corners.reshape(-1, 3, 3).transpose(1, 0, 2)
    normals = np.repeat(np.cross(b - a, c - a), 3, axis=0)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)

    scene = pyrender.Scene(bg_color=[*rendering.BACKGROUND, 255])
    material = pyrender.MetallicRoughnessMaterial(
        baseColorFactor=[*rendering.linear_color(view.color), 1.0], metallicFactor=0.1
    )
    part = pyrender.Primitive(positions=corners, normals=normals, material=material)
    scene.add(pyrender.Mesh([part]))
    lens = pyrender.PerspectiveCamera(yfov=rendering.FIELD_OF_VIEW, znear=0.05, zfar=20)
    scene.add(lens, pose=pose)
    scene.add(pyrender.DirectionalLight(intensity=4.0), pose=pose)
    renderer = pyrender.OffscreenRenderer(view.width, view.height)
    shadows = pyrender.RenderFlags.SHADOWS_DIRECTIONAL
    return (lambda: renderer.render(scene)), (lambda: renderer.render(scene, flags=shadows))


if __name__ == "__main__":
    main()
