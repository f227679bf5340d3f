"""Pictures of printers' cameras as pages show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from manufacturing.generated.erp import Camera


class ShownPicture(NamedTuple):
    """A picture of a camera; content: its URL, age: such as `12 s ago`."""

    content: str
    age: str


def shown_picture(camera: Camera | None, now: datetime | None = None) -> ShownPicture | None:
    """Return the newest picture of a printer's camera with its age; None without one."""
    if camera is None:
        return None
    past = (now or datetime.now(UTC)) - datetime.fromisoformat(camera["at"])
    seconds = max(int(past.total_seconds()), 0)
    if seconds < 60:
        age = _("%(age)s s ago") % {"age": seconds}
    elif seconds < 3600:
        age = _("%(age)s min ago") % {"age": seconds // 60}
    else:
        age = _("%(age)s h ago") % {"age": seconds // 3600}
    return ShownPicture(camera["content"], age)
