"""Username rules: confusable skeletons (Unicode UTS 39), script mixing."""

import functools

from confusable_homoglyphs import categories, confusables
from django.core.exceptions import ValidationError

# What stands in names of every script: digits, signs, accents.
_SHARED = {"COMMON", "INHERITED"}
# Scripts that are written together (Unicode Technical Standard 39, section 5.1).
_WRITTEN_TOGETHER = (
    {"HAN", "HIRAGANA", "KATAKANA"},
    {"HAN", "HANGUL"},
    {"HAN", "BOPOMOFO"},
)


def check_scripts(name: str) -> None:
    """Raise ValidationError for a name that mixes scripts, as Latin with letters that look so."""
    scripts = categories.unique_aliases(name) - _SHARED
    if len(scripts) > 1 and not any(scripts <= together for together in _WRITTEN_TOGETHER):
        words = " and ".join(sorted(script.capitalize() for script in scripts))
        raise ValidationError(
            f"The name mixes letters of {words}: choose one in a single script.", code="not-allowed"
        )


def look(name: str) -> str:
    """Return the skeleton of a name: names that a reader could confuse have the same one.

    Names that differ by case only, or whole names of two scripts that look alike, are the same.
    """
    return "".join(_look_of_letter(letter) for letter in name).casefold()


@functools.cache
def _look_of_letter(letter: str) -> str:
    """Return the unaccented Latin letters that a letter resembles, also by its capital.

    ASCII letters are unchanged: `l` and `1` stay different.
    """
    for form in (letter, letter.upper()):
        for alike in [{"c": form}, *confusables.confusables_data.get(form, ())]:
            if alike["c"].isascii():
                return str(alike["c"])
    return letter
