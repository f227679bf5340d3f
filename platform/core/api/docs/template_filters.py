"""Template filters of the API reference."""

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
_QUOTED = re.compile(r"`([^`\n]+)`")


@register.filter
def inline_code(text: str) -> SafeString:
    """Return a text as HTML in which `quoted` names are <code>."""
    return mark_safe(_QUOTED.sub(r"<code>\1</code>", escape(text)))  # noqa: S308, escaped
