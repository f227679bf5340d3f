"""Notes of proposed G-code in the page's language: what the API returns in English."""

import re

from django.utils.translation import gettext, gettext_lazy

from apps.console.domain.messages import LocalizedText

# Each is a sentence of the API; a test compares them.
NOTES = (
    gettext_lazy(
        "The catalogue has no start and end G-code of this printer. Copy them from the printer's "
        "settings in OrcaSlicer or Bambu Studio, and have them translated."
    ),
    gettext_lazy(
        "Commands such as M620, M622 and M1002 are the maker's own: only the firmware of Bambu "
        "Lab's printers understands them. They are kept as they are."
    ),
    gettext_lazy("G-code of filament changes is left out: a print has one filament here."),
    gettext_lazy("No line of the end G-code switches the nozzle's heater off, such as M104 S0."),
    gettext_lazy("Objects are printed together here, not one after the other."),
    gettext_lazy("A print has one filament here."),
    gettext_lazy("Temperatures of the bed are those of the smooth (hot) plate."),
    gettext_lazy("No smooth time lapse is recorded."),
    gettext_lazy("The maker of the filament is not known."),
    gettext_lazy("Not a setting of PrusaSlicer."),
    gettext_lazy("The chamber is not heated: PrusaSlicer has no value."),
    gettext_lazy("The chamber is not heated."),
    gettext_lazy("Filament is flushed at the temperature of the first layer."),
    gettext_lazy("The temperature at which the usual filament of the type softens."),
    gettext_lazy("From the printer's profile."),
)
BESIDE = re.compile(
    r"The start G-code goes to (?P<place>\S+) in line (?P<line>\d+) \((?P<command>.*)\), "
    r"(?P<reach>[\d.]+) mm beside the bed\.",
    re.DOTALL,
)


def translated_note(note: str) -> LocalizedText:
    """Return a warning of a proposal, or the reason of an assumption, for a page."""
    if match := BESIDE.fullmatch(note):
        text = gettext(
            "The start G-code goes to %(place)s in line %(line)s (%(command)s), %(reach)s mm "
            "beside the bed."
        )
        return LocalizedText(text % match.groupdict())
    text = LocalizedText(gettext(note))
    text.lang = "en" if text == note else ""
    return text
