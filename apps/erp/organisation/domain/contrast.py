"""Contrast of colours (WCAG 2.2, relative luminance)."""

MIN_CONTRAST = 4.5  # of text of usual size, level AA


def contrast_with_white(color: str) -> float:
    """Return the contrast of a colour such as #2557d6 with white, 1 to 21."""
    red, green, blue = (_linear(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
