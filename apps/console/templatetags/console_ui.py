"""Template tags of the console's components: icons, status chips, form controls."""

import operator
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django import template
from django.forms import BoundField
from django.forms.widgets import (
    CheckboxInput,
    CheckboxSelectMultiple,
    FileInput,
    RadioSelect,
    Select,
)
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from apps.console.domain.model_report import BAD, CARE, GOOD, WAIT

register = template.Library()

SPRITE = "console/vendor/icons.svg"
TONES = {GOOD: "ok", WAIT: "run", CARE: "warn", BAD: "bad"}


class Tone(NamedTuple):
    """How a tone is drawn beside text."""

    icon: str


DRAWN = {
    "ok": Tone(icon="circle-check"),
    "run": Tone(icon="loader-2"),
    "warn": Tone(icon="alert-triangle"),
    "bad": Tone(icon="circle-x"),
}
PLAIN = Tone(icon="circle")
# Colour in which parts are rendered by default, and the weights of ITU-R BT.709.
RENDERED = "#4a7fd0"
LUMINANCE = (0.2126, 0.7152, 0.0722)
DARKEST = 0.16
FILTER = '<filter id="{}" color-interpolation-filters="sRGB"><feColorMatrix values="{}"/></filter>'


@register.simple_tag
@cache
def icon(name: str, size: str = "") -> SafeString:
    """Draw an icon of the sprite, by its Tabler name.

    size : "s" (16 px), "xl" (40 px) or none (20 px)
    """
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        f" icon-{size}" if size else "",
        static(SPRITE),
        name,
    )


@register.simple_tag
def tone_icon(tone: str) -> SafeString:
    """Draw the icon that stands for a tone."""
    return icon(DRAWN.get(tone, PLAIN).icon)


@register.simple_tag
def chip(label: str | Promise, tone: str = "") -> SafeString:
    """Draw a status chip.

    tone : "ok", "run", "warn", "bad", "info" or none, or the sign of a State
    """
    return format_html('<span class="chip {}">{}</span>', tone_of(tone), label)


@register.simple_tag(takes_context=True)
def thumbnail(
    context: template.Context, source: str | None, color: str | None = "", size: int = 40
) -> SafeString:
    """Draw the picture of a part in the colour of its material, or as it was rendered.

    source : URL of the picture, rendered in `RENDERED`; None where there is none yet
    color  : #RRGGBB, or empty
    size   : width and height, CSS pixels: 40 or 64
    """
    css = "thumb thumb-l" if size > 40 else "thumb"
    if not source:
        return format_html('<span class="{}"></span>', css)
    if not color:
        html = '<img class="{}" src="{}" alt="" width="{}" height="{}" loading="lazy">'
        return format_html(html, css, source, size, size)
    name = f"tint-{color.removeprefix('#').lower()}"
    drawn = context["request"].__dict__.setdefault("tints", set())
    matrix = "" if name in drawn else tint(color)
    drawn.add(name)
    return format_html(
        '<svg class="{}" width="{}" height="{}" viewBox="0 0 64 64" aria-hidden="true">'
        '{}<image href="{}" width="64" height="64" filter="url(#{})"/></svg>',
        css,
        size,
        size,
        format_html(FILTER, name, matrix) if matrix else "",
        source,
        name,
    )


def tint(color: str) -> str:
    """Values of an SVG color matrix that gives a picture rendered in `RENDERED` another colour.

    Each channel is the luminance of the pixel, in parts of that of `RENDERED`, times the colour;
    a dark one is lightened, so that the shape is seen.
    """
    base, luminance = (
        sum(map(operator.mul, LUMINANCE, _channels(each))) for each in (RENDERED, color)
    )
    more = max(0.0, DARKEST - luminance)
    rows = (
        [(channel + more) * weight / base for weight in LUMINANCE] for channel in _channels(color)
    )
    return " ".join(f"{a:.3f} {b:.3f} {c:.3f} 0 0" for a, b, c in rows) + " 0 0 0 1 0"


def _channels(color: str) -> list[float]:
    return [byte / 255 for byte in bytes.fromhex(color.removeprefix("#"))]


@register.simple_tag
def moment(at: datetime, zone: str = "") -> SafeString:
    """Draw a time: by the name of the day within a day of today, by the date otherwise.

    zone : IANA name of the time zone of the shop; without one the time is in UTC, which it says,
           until the script of the page shows it in that of the viewer
    """
    place = ZoneInfo(zone) if zone else UTC
    local = at.astimezone(place)
    days = (local.date() - timezone.now().astimezone(place).date()).days
    day = {-1: _("Yesterday"), 0: _("Today"), 1: _("Tomorrow")}.get(days)
    time = date_format(local, "H:i" if day else "SHORT_DATETIME_FORMAT")
    return format_html(
        '<time datetime="{}" data-near{}>{}{}</time>',
        at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        format_html(' data-zone="{}"', zone) if zone else "",
        f"{day} {time}" if day else time,
        "" if zone else " UTC",
    )


@register.filter
def tone_of(sign: str) -> str:
    """Return the tone of a state's sign; a tone is returned as it is."""
    return TONES.get(sign, sign)


@register.filter
def initials(name: str) -> str:
    """Return the first letters of the first and the last word of a name."""
    names = name.split()
    return "".join(each[0] for each in (names[:1] + names[1:][-1:])).upper() or "?"


@register.filter
def control(field: BoundField) -> SafeString:
    """Draw the control of a form field with the classes of the design."""
    widget = field.field.widget
    if isinstance(widget, CheckboxInput | CheckboxSelectMultiple | RadioSelect):
        style = "form-check-input"
    else:
        style = "form-select" if isinstance(widget, Select) else "form-control"
    if getattr(widget, "input_type", "") == "color":
        style += " form-control-color"
    invalid = " is-invalid" if field.errors and not isinstance(widget, FileInput) else ""
    own = widget.attrs.get("class", "")
    return field.as_widget(attrs={"class": f"{style}{invalid} {own}".strip()})
