"""A process that draws one STL with f3d, VTK or pyrender, a frame for each line that it is sent."""

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

FIELD_OF_VIEW = 30.0  # degrees, vertical


def main() -> None:
    """Arguments: a key of PEERS; the STL; a JSON of width, height, eye, focus and up.

    Answers each line with the seconds that the frame took by the clock, and of the cores.
    """
    name, model, view = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    draw = PEERS[name](model, view)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        draw()
        cost = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps(cost), flush=True)


def with_f3d(model: str, view: dict, *, ao: bool = False) -> Callable[[], object]:
    """f3d: quickly smoothed, or four times the pixels and ambient occlusion."""
    import f3d

    f3d.Log.set_verbose_level(f3d.Log.QUIET)
    engine = f3d.Engine.create_egl()
    engine.window.size = view["width"], view["height"]
    engine.options.update(
        {
            "ui.loader_progress": False,
            "render.effect.antialiasing.mode": "ssaa" if ao else "fxaa",
            "render.effect.ambient_occlusion": ao,
        }
    )
    engine.scene.add(model)
    camera = engine.window.camera
    camera.position, camera.focal_point, camera.view_up = view["eye"], view["focus"], view["up"]
    camera.view_angle = FIELD_OF_VIEW

    def draw() -> object:  # holds the engine, without which the window is gone
        return engine.window.render_to_image()

    return draw


def with_vtk(model: str, view: dict) -> Callable[[], object]:
    """VTK, with four samples of each pixel."""
    import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  chooses how to draw
    from vtkmodules.vtkIOGeometry import vtkSTLReader
    from vtkmodules.vtkRenderingCore import (
        vtkActor,
        vtkPolyDataMapper,
        vtkRenderer,
        vtkWindowToImageFilter,
    )
    from vtkmodules.vtkRenderingOpenGL2 import vtkEGLRenderWindow

    reader, mapper, actor = vtkSTLReader(), vtkPolyDataMapper(), vtkActor()
    reader.SetFileName(model)
    mapper.SetInputConnection(reader.GetOutputPort())
    actor.SetMapper(mapper)
    renderer, window = vtkRenderer(), vtkEGLRenderWindow()
    renderer.AddActor(actor)
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(4)
    window.SetSize(view["width"], view["height"])
    window.AddRenderer(renderer)
    camera = renderer.GetActiveCamera()
    camera.SetPosition(view["eye"])
    camera.SetFocalPoint(view["focus"])
    camera.SetViewUp(view["up"])
    camera.SetViewAngle(FIELD_OF_VIEW)
    renderer.ResetCameraClippingRange()
    picture = vtkWindowToImageFilter()
    picture.SetInput(window)
    picture.ReadFrontBufferOff()

    def draw() -> object:  # the filter renders, then reads
        picture.Modified()
        picture.Update()
        return picture.GetOutput()

    return draw


def with_pyrender(model: str, view: dict) -> Callable[[], object]:
    """pyrender: one light without shadows. In its own process: it ends displays that others use."""
    os.environ["PYOPENGL_PLATFORM"] = "egl"
    np.infty = np.inf  # type: ignore[attr-defined]  # its meshes still call it so
    import pyrender

    from geometry.formats.stl import read_triangles

    corners = np.asarray(read_triangles(model), np.float32)
    a, b, c = corners.transpose(1, 0, 2)
    normals = np.repeat(np.cross(b - a, c - a), 3, axis=0)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)

    eye, forward = np.array(view["eye"]), np.subtract(view["focus"], view["eye"])
    right = np.cross(forward, view["up"])
    pose = np.eye(4)
    pose[:3] = np.column_stack([right, view["up"], -forward, eye])
    far = float(np.linalg.norm(corners.reshape(-1, 3) - eye, axis=1).max())

    scene = pyrender.Scene()
    material = pyrender.MetallicRoughnessMaterial(
        baseColorFactor=[0.3, 0.4, 0.5, 1.0], metallicFactor=0.1
    )
    part = pyrender.Primitive(positions=corners.reshape(-1, 3), normals=normals, material=material)
    scene.add(pyrender.Mesh([part]))
    lens = pyrender.PerspectiveCamera(yfov=np.radians(FIELD_OF_VIEW), znear=far / 100, zfar=far)
    scene.add(lens, pose=pose)
    scene.add(pyrender.DirectionalLight(intensity=4.0), pose=pose)
    renderer = pyrender.OffscreenRenderer(view["width"], view["height"])
    return lambda: renderer.render(scene)


PEERS = {
    "f3d": with_f3d,
    "f3d-ao": partial(with_f3d, ao=True),
    "vtk": with_vtk,
    "pyrender": with_pyrender,
}

if __name__ == "__main__":
    main()
