"""Labels of the fields of a printer's machine and camera."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

MACHINE_FIELDS: dict[str, Promise] = {
    "camera": _("Camera picture"),
    "camera.at": _("Time of the camera picture"),
    "camera.content": _("Camera picture"),
    "machine.address": _("Address of the printer"),
    "machine.details": _("Details of the printer"),
    "machine.host": _("Host"),
    "machine.job": _("Job of the machine"),
    "machine.progress": _("Machine progress"),
    "machine.seen": _("Last report"),
    "machine.state": _("Machine state"),
    "machine.temperatures": _("Temperatures"),
    "machine.text": _("Machine message"),
    "machine.trays": _("Filament trays"),
}
