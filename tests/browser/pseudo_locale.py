"""A language for tests: accents, every word two fifths longer, each text between marks.

What does not fit a page in it would not fit in other languages either, and what stands there
without marks was never given to a translator.
"""

import math
import re
from pathlib import Path

import polib

CODE, NAME = "en-xa", "⟦Éñg⟧"
LONGER = 0.4
ACCENTS = str.maketrans("aceinouyACEINOUY", "áçéíñóúýÁÇÉÍÑÓÚÝ")
# What a text puts in by name, which stays as it is, and words.
PARTS = re.compile(r"(%\(\w+\)s|%%|\{\w+\})|(\w+)")
ROOT = Path(__file__).resolve().parents[2]
WRITTEN = ROOT / "apps" / "console" / "locale" / "de" / "LC_MESSAGES" / "django.po"


def write(folder: Path) -> None:
    """Write the catalogue of all that the console says, where Django finds it below `folder`."""
    said = polib.pofile(WRITTEN)
    catalogue = polib.POFile()
    catalogue.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    for entry in said:
        if entry.msgid_plural:
            both = {0: marked(entry.msgid), 1: marked(entry.msgid_plural)}
            made = polib.POEntry(
                msgid=entry.msgid, msgid_plural=entry.msgid_plural, msgstr_plural=both
            )
        else:
            made = polib.POEntry(msgid=entry.msgid, msgstr=marked(entry.msgid))
        catalogue.append(made)
    place = folder / "en_XA" / "LC_MESSAGES"
    place.mkdir(parents=True)
    catalogue.save_as_mofile(str(place / "django.mo"))


def marked(text: str) -> str:
    """The same text, longer, between marks."""
    return f"⟦{PARTS.sub(_longer, text)}⟧"


def _longer(part: re.Match[str]) -> str:
    if part[1]:
        return part[1]
    more = part[2][: math.ceil(LONGER * len(part[2]))]
    return (part[2] + more).translate(ACCENTS)
