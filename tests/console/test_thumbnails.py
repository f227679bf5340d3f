"""Pictures of parts in the colour of their material."""

import re

import pytest
from django.template import Context, Template
from django.test import RequestFactory

from apps.console.templatetags.console_ui import RENDERED, tint
from geometry.rendering.view import View

ADDRESS = "https://files.test/a.png?x=1&y=2"


def drawn(template: str) -> str:
    context = Context({"request": RequestFactory().get("/"), "address": ADDRESS})
    return Template("{% load console_ui %}" + template).render(context)


def applied(matrix: str, color: str) -> str:
    """A colour after an SVG color matrix."""
    channels = [byte / 255 for byte in bytes.fromhex(color[1:])] + [1, 1]
    values = [float(value) for value in matrix.split()]
    rows = [values[at : at + 5] for at in range(0, 15, 5)]
    sums = (sum(a * b for a, b in zip(row, channels, strict=True)) for row in rows)
    return "#" + "".join(f"{round(min(1, value) * 255):02x}" for value in sums)


def test_parts_are_rendered_in_the_colour_that_is_replaced():
    assert View().color == RENDERED


@pytest.mark.parametrize("color", ["#d7352b", "#ffffff", "#4a7fd0", "#f5c400"])
def test_tint_turns_the_rendered_colour_into_that_of_the_material(color):
    assert applied(tint(color), RENDERED) == color


def test_black_material_keeps_its_shape_visible():
    assert applied(tint("#000000"), RENDERED) == "#292929"


def test_filter_of_a_colour_is_drawn_once_a_page():
    page = drawn("{% thumbnail address '#D7352B' %}" * 2 + "{% thumbnail address '#00ff00' 64 %}")

    assert re.findall(r'<filter id="([^"]+)', page) == ["tint-d7352b", "tint-00ff00"]
    assert re.findall(r"url\(#([^)]+)", page) == ["tint-d7352b"] * 2 + ["tint-00ff00"]
    assert 'href="https://files.test/a.png?x=1&amp;y=2"' in page
    assert "thumb-l" in page


def test_picture_without_colour_is_an_image_and_none_is_a_placeholder():
    assert 'loading="lazy"' in drawn("{% thumbnail address None %}")
    assert drawn("{% thumbnail None '#00ff00' %}") == '<span class="thumb"></span>'
