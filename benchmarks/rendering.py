"""Time pictures of an 84,000 triangle part beside pyrender's own; prints one line of JSON."""

import json
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geometry import rendering
from geometry.drawable import prepare
from geometry.rendering import View
from geometry.rendering_gl import render

np.infty = np.inf  # type: ignore[attr-defined]  # pyrender's meshes still call it so
ROUNDS = 5
VIEWS = {
    "upload": View(width=800, height=600, samples=32),
    "samples_0": View(samples=0),
    "samples_16": View(samples=16),
    "samples_64": View(),
}


def knobbly_ring(turns: int = 290, sides: int = 145) -> NDArray[np.float32]:
    """(2 * turns * sides, 3, 3): a closed part with a hole, bumps and shadows of its own."""
    u = np.linspace(0, 2 * np.pi, turns, endpoint=False)[:, None]
    v = np.linspace(0, 2 * np.pi, sides, endpoint=False)[None, :]
    thick = 9 + 1.2 * np.sin(12 * u) * np.sin(5 * v)
    out = 28 + thick * np.cos(v)
    grid = np.stack([out * np.cos(u), out * np.sin(u), thick * np.sin(v) + 0 * u], axis=-1)
    a, b = grid, np.roll(grid, -1, axis=0)
    d, c = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    return np.stack([a, b, c, a, c, d], axis=2).reshape(-1, 3, 3).astype(np.float32)


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


def main() -> None:
    part = knobbly_ring()
    jobs: dict[str, Callable] = {
        name: lambda view=view: render(part, view, closed=True) for name, view in VIEWS.items()
    }
    start = time.perf_counter()
    jobs["samples_0"]()
    first = time.perf_counter() - start
    jobs["pyrender"], jobs["pyrender_shadows"] = peer(part, VIEWS["samples_0"])

    times: dict[str, list[tuple[float, float]]] = {name: [] for name in jobs}
    for _ in range(1 + ROUNDS):
        for name, job in jobs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            job()
            times[name].append((time.perf_counter() - wall, time.process_time() - cpu))

    result: dict[str, Any] = {"triangles": len(part), "first_picture_s": round(first, 3)}
    for name, measured in times.items():
        wall, cpu = (statistics.median(values) for values in zip(*measured[1:], strict=True))
        result[name] = {"wall_s": round(wall, 3), "cpu_s": round(cpu, 3)}
        if name in VIEWS:
            result[name]["estimated_s"] = round(VIEWS[name].cost(len(part)), 3)
    ratio = result["samples_0"]["wall_s"] / result["pyrender"]["wall_s"]
    result["samples_0_over_pyrender"] = round(ratio, 3)
    result["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
