"""OpenGL layer: EGL context, shader programs, render targets, mesh buffers."""

import ctypes.util
import importlib.util
import os
import re
import sys
import types
from functools import cache
from pathlib import Path

# These choose other drivers, or change what they draw.
for name in [name for name in os.environ if re.match("LIBGL_|GALLIUM_|MESA_|EGL_", name)]:
    del os.environ[name]
os.environ["PYOPENGL_PLATFORM"] = "egl"  # read once, by the first import of OpenGL
# To find a library runs programs. Each context asks anew, where none may be run any more.
ctypes.util.find_library = cache(ctypes.util.find_library)

# Only pyrender's context and buffers are used. Its __init__ would import a viewer, trimesh and what
# they need: half a second of the processor in each process, and 35 MB.
if "pyrender" not in sys.modules and (spec := importlib.util.find_spec("pyrender")):
    package = types.ModuleType("pyrender")
    package.__path__ = list(spec.submodule_search_locations or ())
    sys.modules["pyrender"] = package

# ruff: noqa: E402
import numpy as np
import OpenGL.GL as gl
from numpy.typing import NDArray
from pyrender.platforms.egl import EGLPlatform, query_devices
from pyrender.primitive import Primitive

SHADERS = Path(__file__).with_name("shaders")


def open_context() -> EGLPlatform:
    """A context for this process and thread, made current.

    Keep it as long as the process lives: its destructor would end every context of the process.
    """
    devices = query_devices()
    # A device with a file is a graphics card, whose pictures differ in the last bits.
    software = [device for device in devices if device.name is None]
    platform = EGLPlatform(64, 64, device=(software or devices)[0])
    platform.init_context()
    return platform


def version() -> str:
    """The driver of the current context, and its version: another may draw other bytes."""
    names = (gl.GL_RENDERER, gl.GL_VERSION)
    return ", ".join(gl.glGetString(name).decode() for name in names)


class Program:
    """A compiled and linked pair of shaders."""

    def __init__(self, vertex: str, *fragment: str, constants: dict[str, float]):
        self.key = gl.glCreateProgram()
        for kind, names in ((gl.GL_VERTEX_SHADER, [vertex]), (gl.GL_FRAGMENT_SHADER, fragment)):
            gl.glAttachShader(self.key, _compile(kind, names, constants))
        gl.glLinkProgram(self.key)
        if not gl.glGetProgramiv(self.key, gl.GL_LINK_STATUS):
            raise RuntimeError(gl.glGetProgramInfoLog(self.key))
        self._places: dict[str, int] = {}

    def use(self, **uniforms) -> None:
        """Draw with this program from now on.

        Uniforms are an int, two of them, a float, or an array: (4, 4) or (k, 4, 4) matrices, else
        (k, n) or (n,), k vectors of n numbers.
        """
        gl.glUseProgram(self.key)
        for name, value in uniforms.items():
            place = self._places.get(name)
            if place is None:
                place = self._places[name] = gl.glGetUniformLocation(self.key, name)
            _set_uniform(place, value)


def _compile(kind: int, names: list[str] | tuple[str, ...], constants: dict[str, float]) -> int:
    lines = ["#version 330 core"]
    for name, value in constants.items():
        lines.append(f"#define {name} {value!r}")
    lines += [(SHADERS / name).read_text() for name in names]
    shader = gl.glCreateShader(kind)
    gl.glShaderSource(shader, "\n".join(lines))
    gl.glCompileShader(shader)
    if not gl.glGetShaderiv(shader, gl.GL_COMPILE_STATUS):
        raise RuntimeError(f"{names}: {gl.glGetShaderInfoLog(shader)}")
    return shader


_VECTORS = {1: gl.glUniform1fv, 3: gl.glUniform3fv, 4: gl.glUniform4fv}


def _set_uniform(place: int, value: int | float | tuple[int, int] | NDArray) -> None:
    if isinstance(value, int):
        gl.glUniform1i(place, value)
    elif isinstance(value, float):
        gl.glUniform1f(place, value)
    elif isinstance(value, tuple):
        gl.glUniform2i(place, *value)
    elif value.shape[-2:] == (4, 4):
        matrices = np.ascontiguousarray(value, np.float32).reshape(-1, 4, 4)
        gl.glUniformMatrix4fv(place, len(matrices), gl.GL_TRUE, matrices)
    else:
        vectors = np.ascontiguousarray(np.atleast_2d(value), np.float32)
        _VECTORS[vectors.shape[1]](place, len(vectors), vectors)


class Target:
    """A framebuffer and its textures or renderbuffers, in a `with` block."""

    def __init__(self, width: int, height: int):
        self.width, self.height = width, height
        self.textures: list[int] = []
        self._buffers: list[int] = []
        self.key = gl.glGenFramebuffers(1)

    def bind(self) -> None:
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.key)
        gl.glViewport(0, 0, self.width, self.height)

    def add_texture(self, format: int) -> "Target":
        """One more colour output, which later passes can read."""
        self.bind()
        texture = gl.glGenTextures(1)
        gl.glBindTexture(gl.GL_TEXTURE_2D, texture)
        gl.glTexStorage2D(gl.GL_TEXTURE_2D, 1, format, self.width, self.height)
        outputs = [gl.GL_COLOR_ATTACHMENT0 + i for i in range(len(self.textures) + 1)]
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, outputs[-1], gl.GL_TEXTURE_2D, texture, 0)
        gl.glDrawBuffers(len(outputs), outputs)
        self.textures.append(texture)
        return self

    def add_buffer(self, format: int, attachment: int, samples: int = 0) -> "Target":
        """A buffer that is drawn to, but not read by later passes."""
        self.bind()
        buffer = gl.glGenRenderbuffers(1)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, buffer)
        gl.glRenderbufferStorageMultisample(
            gl.GL_RENDERBUFFER, samples, format, self.width, self.height
        )
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, buffer)
        self._buffers.append(buffer)
        return self

    def read(self, *, alpha: bool = False) -> NDArray[np.uint8]:
        """(h, w, 3) uint8, the upper row first; with the opacity (h, w, 4)."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.key)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        pixels = np.empty((self.height, self.width, 4 if alpha else 3), np.uint8)
        form = gl.GL_RGBA if alpha else gl.GL_RGB
        gl.glReadPixels(0, 0, self.width, self.height, form, gl.GL_UNSIGNED_BYTE, array=pixels)
        return pixels[::-1].copy()

    def __enter__(self) -> "Target":
        return self

    def __exit__(self, *_) -> None:
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glDeleteFramebuffers(1, [self.key])
        if self.textures:
            gl.glDeleteTextures(self.textures)
        if self._buffers:
            gl.glDeleteRenderbuffers(len(self._buffers), self._buffers)


class MeshBuffer:
    """Triangles in the memory of the context, in a `with` block."""

    def __init__(self, vertices: NDArray[np.float32], faces: NDArray[np.uint32]):
        self._primitive = Primitive(positions=vertices, indices=faces)
        self._count = faces.size

    def draw(self) -> None:
        self._primitive._bind()
        gl.glDrawElements(gl.GL_TRIANGLES, self._count, gl.GL_UNSIGNED_INT, None)

    def __enter__(self) -> "MeshBuffer":
        self._primitive._add_to_context()
        return self

    def __exit__(self, *_) -> None:
        gl.glBindVertexArray(0)
        self._primitive.delete()


def bind_textures(*textures: int) -> None:
    """Let the samplers 0, 1, ... read these."""
    for unit, texture in enumerate(textures):
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_2D, texture)


def draw_screen() -> None:
    """Draw one triangle over the whole picture, for screen.vert."""
    gl.glBindVertexArray(_empty_vertices())
    gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)


@cache
def _empty_vertices() -> int:
    return gl.glGenVertexArrays(1)
