"""GLSL shader programs and their constants."""

from functools import cache

from geometry.rendering import view
from geometry.rendering.gl import Program
from geometry.rendering.shadow_maps import BATCH, SHADOW_EXTENT

NOTHING, PART, GROUND, CAP = 0.0, 1.0, 2.0, 3.0
CAP_GAIN = 1.14  # a cut reads as a cut, in the part's own hue
GHOST = 0.08  # of the part's colour, on the page where what is cut off would be

CONSTANTS = {
    "NOTHING": NOTHING,
    "GROUND": GROUND,
    "CAP": CAP,
    "CAP_GAIN": CAP_GAIN,
    "GHOST": GHOST,
    "KEY": view.KEY,
    "SKY": view.SKY,
    "BOUNCE": view.BOUNCE,
    "FILL": view.FILL,
    "SPECULAR": view.SPECULAR,
    "BATCH": BATCH,
    "DEPTH_BIAS": 0.0004 / (2 * SHADOW_EXTENT),
    # Nothing lies below the ground, so it may sink: a bright rim along the contact goes.
    "GROUND_BIAS": 0.02 / (2 * SHADOW_EXTENT),
    "GROUND_SHADOW": 0.8,
    "FADE_START": 1.3,
    "FADE_END": 2.8,
}


@cache
def program(vertex: str, *fragment: str, **constants: int) -> Program:
    """Compiled once in a process, with `constants` beside those of all."""
    return Program(vertex, *fragment, constants=CONSTANTS | constants)


def light_program(count: int) -> Program:
    """The program for so many lights: a loop that is unrolled takes half the time."""
    return program("screen.vert", "shading.glsl", "light.frag", COUNT=count)
