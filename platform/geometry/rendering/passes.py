"""Render passes: fast preview, or accumulated samples with soft shadows."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
import OpenGL.GL as gl
from numpy.typing import NDArray

from geometry.rendering import view as rendering
from geometry.rendering.gl import MeshBuffer, Program, Target, bind_textures, draw_screen
from geometry.rendering.render_mesh import Drawable
from geometry.rendering.resolve import Tiles, resolved, tiles
from geometry.rendering.shader_programs import CAP, CAP_GAIN, GROUND, PART, light_program, program
from geometry.rendering.shadow_maps import (
    POSITIONS,
    SHADOW_EXTENT,
    Batch,
    ShadowMaps,
    batch_size,
    light_batches,
    shadow_maps,
    to_texture,
)
from geometry.rendering.view import Camera, Progress, View

GROUND_EXTENT = 2.9
GROUND_GAP = 1e-4  # between the model and the ground, or they would fight for pixels
CAP_EXTENT = 1.05
UNCUT = 4.0  # above everything


@dataclass
class Scene:
    """One model in the memory of the context, and how it is looked at."""

    surface: MeshBuffer
    casters: MeshBuffer
    ground: MeshBuffer | None  # None where it is seen from below
    cap: MeshBuffer | None  # None where nothing is cut, or the cut is seen from below
    cut: float  # in radii over the centre, UNCUT where the whole model is seen
    winding: bool  # whether the cap follows from the winding number
    culled: int | None  # faces that no light needs: of a closed model those that are turned away
    hidden: int | None  # the same of the camera, where one shell is seen from outside
    inverted: bool
    camera: Camera
    view: View
    albedo: NDArray[np.float64]

    def projection(self, jitter: NDArray | tuple[float, float] = (0.0, 0.0)) -> NDArray[np.float64]:
        size = self.view.width, self.view.height
        shift = (2 * jitter[0] / size[0], 2 * jitter[1] / size[1])
        return self.camera.projection(size[0] / size[1], shift)


class Painter:
    """Draws pictures; there is one in a process, used by the thread that made it."""

    def __init__(self):
        self._preview = program("surface.vert", "shading.glsl", "preview.frag")
        self._geometry = program("surface.vert", "shading.glsl", "geometry.frag")
        self._shadow = program("surface.vert", "shadow.frag")
        gl.glEnable(gl.GL_CLIP_DISTANCE0)

    def paint(
        self, drawable: Drawable, view: View, *, closed: bool, progress: Progress | None = None
    ) -> NDArray[np.uint8]:
        """(h, w, 3 or 4) uint8. `closed` says that the model's faces bound a solid."""
        with _scene(drawable, view, closed=closed) as scene:
            if view.samples == 0:
                return self._paint_preview(scene)
            return self._paint_samples(scene, progress or (lambda done, total: None))

    def _paint_preview(self, scene: Scene) -> NDArray[np.uint8]:
        view, camera = scene.view, scene.camera
        with _target(view, samples=4) as smooth, _canvas(view) as flat:
            smooth.add_buffer(gl.GL_RGBA8, gl.GL_COLOR_ATTACHMENT0, samples=4)
            flat.add_buffer(gl.GL_RGBA8, gl.GL_COLOR_ATTACHMENT0)
            smooth.bind()
            page = rendering.linear(np.array(rendering.BACKGROUND))
            _clear(*([] if view.transparent else np.sqrt(page)))
            self._preview.use(
                projection=scene.projection(),
                eye=camera.eye,
                key=rendering.place_lights(camera, 0).key,
                albedo=scene.albedo,
                page=page,
            )
            if scene.cut < UNCUT:
                self._draw_ghost(scene)
            self._preview.use(ghost=0)
            _draw_model(scene, self._preview, part={"gain": 1.0}, cap={"gain": CAP_GAIN})
            _copy(smooth, flat)
            roots = flat.read(alpha=view.transparent)
        levels = rendering.srgb((np.arange(256) / 255) ** 2)
        if not view.transparent:
            return levels[roots]
        # At its edges the part was averaged with black: what is left of it is its opacity.
        alpha = roots[..., 3:]
        bare = np.minimum(255, roots[..., :3] * (255 / np.maximum(alpha, 1))).astype(np.uint8)
        return np.concatenate([levels[bare], alpha], axis=2)

    def _paint_samples(self, scene: Scene, progress: Progress) -> NDArray[np.uint8]:
        view = scene.view
        samples = view.samples
        lights = rendering.place_lights(scene.camera, samples)
        kept = tiles(view)
        size = batch_size(samples, kept.parts)
        positions = POSITIONS if samples < POSITIONS else 1
        jitters = iter(rendering.jitters(positions * -(-samples // size)))
        elevations = np.maximum(lights.domes[:, 2], 0)
        dome_mean = float(np.mean(lights.weights * elevations))
        maps = shadow_maps(view.shadow_size)
        in_each = 0  # samples of a pixel

        with _target(view) as seen, kept.target() as sums:
            seen.add_texture(gl.GL_RGBA32F).add_texture(gl.GL_RGBA16F)
            for _ in range(3):
                sums.add_texture(gl.GL_RGBA32F)
            _clear()
            for batch in light_batches(lights, size, maps.size):
                self._draw_shadow_maps(scene, maps, batch)
                shares = batch.shares(kept.parts)
                in_each += shares[0].size
                light = light_program(shares[0].size)
                light.use(
                    eye=scene.camera.eye,
                    key=lights.key,
                    places=0,
                    normals=1,
                    shadows=2,
                    normal_offset=2 * SHADOW_EXTENT / maps.size,
                    dome_mean=dome_mean,
                    weight=1.0 / positions,
                    stride=kept.stride,
                )
                for _ in range(positions):
                    self._draw_geometry(scene, seen, next(jitters))
                    _add_light(light, shares, kept, seen, sums, maps)
                progress(batch.stop, samples)
            return resolved(view, scene.camera, scene.albedo, seen, sums, float(in_each))

    def _draw_shadow_maps(self, scene: Scene, maps: ShadowMaps, batch: Batch) -> None:
        gl.glViewport(0, 0, maps.size, maps.size)
        gl.glEnable(gl.GL_DEPTH_TEST)
        self._shadow.use(cut=scene.cut)
        with _without(scene.culled):
            for row, layer in enumerate(batch.layers()):
                gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, maps.frames[layer])
                gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
                self._shadow.use(projection=batch.projections[row])
                scene.casters.draw()

    def _draw_geometry(self, scene: Scene, seen: Target, jitter: NDArray) -> None:
        seen.bind()
        _clear()
        self._geometry.use(projection=scene.projection(jitter), eye=scene.camera.eye)
        _draw_model(scene, self._geometry, part={"kind": PART}, cap={"kind": CAP})
        if scene.ground:
            self._geometry.use(cut=UNCUT, kind=GROUND)
            scene.ground.draw()
        if scene.cut < UNCUT:
            self._mark_ghost(scene)

    def _draw_ghost(self, scene: Scene) -> None:
        """The silhouette of the whole model, of which the part that is left hides its own."""
        gl.glDisable(gl.GL_DEPTH_TEST)
        self._preview.use(ghost=1, cut=UNCUT)
        scene.surface.draw()

    def _mark_ghost(self, scene: Scene) -> None:
        """The same silhouette, in the last component of the normals."""
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glColorMaski(0, *[gl.GL_FALSE] * 4)
        gl.glColorMaski(1, *[gl.GL_FALSE] * 3, gl.GL_TRUE)
        self._geometry.use(cut=UNCUT, ghost=1.0)
        scene.surface.draw()
        self._geometry.use(ghost=0.0)
        gl.glColorMask(*[gl.GL_TRUE] * 4)


def _add_light(
    light: Program, shares: list[Batch], kept: Tiles, seen: Target, sums: Target, maps: ShadowMaps
) -> None:
    """Add the light of a batch, of which each of the pixels of a block has its own share."""
    sums.bind()
    bind_textures(*seen.textures)
    gl.glActiveTexture(gl.GL_TEXTURE2)
    gl.glBindTexture(gl.GL_TEXTURE_2D_ARRAY, maps.texture)
    gl.glDisable(gl.GL_DEPTH_TEST)
    gl.glEnable(gl.GL_BLEND)
    gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE)
    for part, share in enumerate(shares):
        shift = kept.shift(part)
        corner = shift[0] * kept.width, shift[1] * kept.height
        gl.glViewport(*corner, *kept.size)
        light.use(
            shadow_of=to_texture(share.projections),
            towards=share.towards,
            dome_weight=share.weights,
            first=share.first,
            shift=shift,
            corner=corner,
        )
        draw_screen()
    gl.glDisable(gl.GL_BLEND)


@contextmanager
def _without(side: int | None) -> Iterator[None]:
    """Draw no faces of this side."""
    if side is not None:
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glCullFace(side)
    yield
    gl.glDisable(gl.GL_CULL_FACE)


@contextmanager
def _scene(drawable: Drawable, view: View, *, closed: bool) -> Iterator[Scene]:
    surface, center, radius = drawable.surface, drawable.center, drawable.radius
    camera = rendering.place_camera(view, surface.vertices, center, radius)
    height = rendering.cut_height(view, drawable.low, drawable.high, radius)
    cut = UNCUT if height is None else float((height - center[2]) / radius)
    ground = float((drawable.low - center[2]) / radius) - GROUND_GAP
    inverted = (closed or cut < UNCUT) and surface.signed_volume() < 0
    away = (gl.GL_FRONT if inverted else gl.GL_BACK) if closed and cut == UNCUT else None
    outside = float(np.linalg.norm(camera.eye)) > 1

    with ExitStack() as stack:

        def shape(vertices: NDArray, faces: NDArray) -> MeshBuffer:
            return stack.enter_context(MeshBuffer(vertices, faces))

        def plate(extent: float, level: float) -> MeshBuffer | None:
            return shape(*_plate(extent, level)) if camera.eye[2] > level else None

        drawn = shape(*surface)
        yield Scene(
            surface=drawn,
            casters=drawn if drawable.casters is surface else shape(*drawable.casters),
            ground=plate(GROUND_EXTENT, ground),
            cap=plate(CAP_EXTENT, cut) if cut < UNCUT else None,
            cut=cut,
            # A coarser copy is not quite closed: the winding number would leak here and there.
            winding=closed and drawable.exact,
            culled=away,
            hidden=away if drawable.whole and outside else None,
            inverted=inverted,
            camera=camera,
            view=view,
            albedo=np.maximum(rendering.linear_color(view.color), rendering.DARKEST),
        )


def _plate(extent: float, level: float) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """A horizontal square: (4, 3) vertices and (2, 3) faces."""
    corners = extent * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32)
    vertices = np.column_stack([corners, np.full(4, level, np.float32)])
    return vertices, np.array([(0, 1, 2), (0, 2, 3)], np.uint32)


def _canvas(view: View) -> Target:
    return Target(view.width, view.height)


def _target(view: View, samples: int = 0) -> Target:
    """A target with depth and stencil."""
    return _canvas(view).add_buffer(gl.GL_DEPTH24_STENCIL8, gl.GL_DEPTH_STENCIL_ATTACHMENT, samples)


def _clear(red: float = 0.0, green: float = 0.0, blue: float = 0.0) -> None:
    gl.glClearColor(red, green, blue, 0.0)
    gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)


def _copy(source: Target, target: Target) -> None:
    gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, source.key)
    gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, target.key)
    box = (0, 0, source.width, source.height)
    gl.glBlitFramebuffer(*box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)


def _draw_model(scene: Scene, program: Program, *, part: dict, cap: dict) -> None:
    """The model up to its cut, and the cap on the cut where the stencil says it is solid."""
    gl.glEnable(gl.GL_DEPTH_TEST)
    program.use(cut=scene.cut, **part)
    if scene.cap and scene.winding:
        _count_windings(scene)
    elif scene.cap:
        _mark_inner_faces(scene)
    with _without(scene.hidden):
        scene.surface.draw()
    if scene.cap:
        gl.glEnable(gl.GL_STENCIL_TEST)
        gl.glStencilFunc(gl.GL_NOTEQUAL, 0, 0xFF)
        gl.glStencilOp(gl.GL_KEEP, gl.GL_KEEP, gl.GL_KEEP)
        program.use(cut=UNCUT, **cap)
        scene.cap.draw()
        gl.glDisable(gl.GL_STENCIL_TEST)


def _count_windings(scene: Scene) -> None:
    """Stencil: how often the model winds around the point where a pixel's ray meets the cut.

    Behind the cut a ray leaves the model once for each time that it was inside.
    """
    gl.glColorMask(*[gl.GL_FALSE] * 4)
    gl.glDisable(gl.GL_DEPTH_TEST)
    gl.glEnable(gl.GL_STENCIL_TEST)
    gl.glStencilFunc(gl.GL_ALWAYS, 0, 0xFF)
    gl.glStencilOpSeparate(gl.GL_FRONT, gl.GL_KEEP, gl.GL_INCR_WRAP, gl.GL_INCR_WRAP)
    gl.glStencilOpSeparate(gl.GL_BACK, gl.GL_KEEP, gl.GL_DECR_WRAP, gl.GL_DECR_WRAP)
    scene.surface.draw()
    gl.glDisable(gl.GL_STENCIL_TEST)
    gl.glEnable(gl.GL_DEPTH_TEST)
    gl.glColorMask(*[gl.GL_TRUE] * 4)


def _mark_inner_faces(scene: Scene) -> None:
    """Stencil, of the drawing that follows: 1 where the nearest face is seen from inside."""
    gl.glEnable(gl.GL_STENCIL_TEST)
    gl.glStencilOp(gl.GL_KEEP, gl.GL_KEEP, gl.GL_REPLACE)
    gl.glStencilFuncSeparate(gl.GL_FRONT, gl.GL_ALWAYS, int(scene.inverted), 0xFF)
    gl.glStencilFuncSeparate(gl.GL_BACK, gl.GL_ALWAYS, int(not scene.inverted), 0xFF)
