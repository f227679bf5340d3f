"""Glyph outlines of a text line; minimum stroke and gap width."""

import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import font_roboto
import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from manifold3d import CrossSection, FillRule, JoinType

from input_errors import InputError

FONT = "Roboto Bold"
FILE = Path(font_roboto.__file__).parent / "files" / "Roboto-Bold.ttf"
MAX_CHARACTERS = 32
PRINTABLE = range(0x20, 0x7F)
TRACKING = 0.08  # of the cap height, beside each letter's own advance
SEGMENTS = 8  # of a curve
STROKE_KEPT, GAP_FILLED = 0.97, 1.02  # of the area
NARROWEST, WIDEST, HALVINGS = 0.01, 0.6, 8
COARSE = 0.003  # of the cap height: what curves may lose where strokes are measured


class Line(NamedTuple):
    """A line of text, whose capitals are 1 high, about its own middle.

    shape         : its letters
    width, height : of the box round them
    stroke, gap   : the finest ones, of the cap height
    """

    shape: CrossSection
    width: float
    height: float
    stroke: float
    gap: float


def line(text: str) -> Line:
    """Raises InputError: invalid-text, glyph-missing."""
    text = unicodedata.normalize("NFKC", text).strip()
    if not 1 <= len(text) <= MAX_CHARACTERS:
        title = f"The text must have 1 to {MAX_CHARACTERS} characters that can be seen."
        raise InputError("invalid-text", title)
    missing = sorted({character for character in text if ord(character) not in PRINTABLE})
    if missing:
        signs = ", ".join(repr(character) for character in missing)
        title = f"The font has no sign for {signs}. Use letters, digits and signs of ASCII."
        raise InputError("glyph-missing", title, {"characters": missing})
    shape = _outlines(text)
    left, bottom, right, top = shape.bounds()
    shape = shape.translate((-(left + right) / 2, -(bottom + top) / 2))
    coarse = shape.simplify(COARSE)
    return Line(shape, right - left, top - bottom, _stroke(coarse), _gap(coarse))


class _Contours(BasePen):
    """Collects outlines as polygons: straight pieces for curves, parts of compound letters."""

    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.contours: list[list[tuple[float, float]]] = []

    def _moveTo(self, point):
        self.contours.append([point])

    def _lineTo(self, point):
        self.contours[-1].append(point)

    def _curveToOne(self, first, second, end):
        start = np.array(self._getCurrentPoint())
        for t in np.linspace(0, 1, SEGMENTS + 1)[1:]:
            near, far = (1 - t) ** 3 * start, t**3 * np.array(end)
            middle = 3 * t * (1 - t) * ((1 - t) * np.array(first) + t * np.array(second))
            self.contours[-1].append(tuple(near + middle + far))


@lru_cache(maxsize=1)
def _font() -> TTFont:
    return TTFont(FILE)


def _outlines(text: str) -> CrossSection:
    font = _font()
    glyphs, names, cap = font.getGlyphSet(), font.getBestCmap(), font["OS/2"].sCapHeight
    pen = 0.0
    contours = []
    for character in text:
        glyph = glyphs[names[ord(character)]]
        outline = _Contours(glyphs)
        glyph.draw(outline)
        contours += [np.array(c, np.float64) / cap + (pen, 0.0) for c in outline.contours]
        pen += glyph.width / cap + TRACKING
    return CrossSection(contours, FillRule.NonZero)


def _stroke(shape: CrossSection) -> float:
    """The widest brush that still paints nearly all of it."""
    least = STROKE_KEPT * shape.area()
    return _widest(lambda half: _offset(_offset(shape, -half), half).area() >= least)


def _gap(shape: CrossSection) -> float:
    """The widest brush that still leaves its gaps nearly free."""
    most = GAP_FILLED * shape.area()
    return _widest(lambda half: _offset(_offset(shape, half), -half).area() <= most)


def _offset(shape: CrossSection, by: float) -> CrossSection:
    return shape.offset(by, JoinType.Miter, 2.0)


def _widest(passes) -> float:
    """The largest width whose half passes, by halving."""
    low, high = NARROWEST, WIDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if passes(middle / 2) else (low, middle)
    return low
