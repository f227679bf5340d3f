"""A process that draws one STL with f3d or VTK, a frame for each line that it is sent."""

import json
import sys
import time
from collections.abc import Callable

FIELD_OF_VIEW = 30.0  # degrees, vertical


def main() -> None:
    """Arguments: f3d, f3d-ao or vtk; the STL; a JSON of width, height, eye, focus and up.

    Answers each line with the seconds that the frame took by the clock, and of the cores.
    """
    name, model, view = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    draw = with_vtk(model, view) if name == "vtk" else with_f3d(model, view, ao=name == "f3d-ao")
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        draw()
        cost = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps(cost), flush=True)


def with_f3d(model: str, view: dict, *, ao: bool) -> Callable[[], object]:
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


if __name__ == "__main__":
    main()
