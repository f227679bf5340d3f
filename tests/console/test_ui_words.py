"""Guard: labels of the console use the terms of slicers and shop software."""

import re

import pytest

from apps.console.domain.printers.printer_status import WORDS
from tests.console.test_translations import ROOT, text_of

RETIRED = {
    "filling": "infill",
    "outlines": "perimeters",
    "hangs over": "overhang",
    "give up": "abort",
    "given up": "aborted",
    "somebody": "name who acts, or use the passive",
    "nobody": "name what is missing",
    "judged": "analysed",
    "good enough": "stop, keep the best result",
    "what became": "result",
    "tick": "select",
    "ticked": "selected",
    "verdict": "analysis",
}
MAX_BUTTON_WORDS = 4
# Buttons that must be longer: msgid and the reason.
LONG_BUTTONS: dict[str, str] = {}

BUTTON = re.compile(
    r"<button\b.*?</button>|<(a|summary)\b[^>]*\bclass=\"(?:[^\"]*\s)?btn\b.*?</\1>", re.DOTALL
)
TRANSLATED = re.compile(r"\{% translate (?:\"([^\"]*)\"|'([^']*)')")
BLOCK = re.compile(r"\{% blocktranslate[^%]*%\}(.*?)\{% endblocktranslate %\}", re.DOTALL)


def button_labels() -> set[str]:
    """The labels of the buttons of all templates, without what is only read out."""
    labels = {str(label) for choices in WORDS.values() for _, label, _ in choices}
    for path in (ROOT / "templates" / "console").rglob("*.html"):
        for button in BUTTON.finditer(path.read_text()):
            content = re.sub(r'^<[^>]*>|<span class="visually-hidden">.*?</span>', "", button[0])
            labels |= {double or single for double, single in TRANSLATED.findall(content)}
            labels |= set(BLOCK.findall(content))
    return labels


@pytest.mark.parametrize(("retired", "term"), RETIRED.items())
def test_labels_contain_no_retired_word(retired, term):
    found = [text for text in text_of() if re.search(rf"\b{retired}\b", text, re.IGNORECASE)]

    assert found == [], (
        f'"{retired}" is retired, the term is: {term}. Change the text in templates/console or '
        "apps/console and its msgid in apps/console/locale/*/LC_MESSAGES/django.po, then compile "
        "the catalogue as docs/console.md says."
    )


def test_buttons_are_short():
    labels = button_labels()
    assert len(labels) > 100
    long = {
        label
        for label in labels
        if len(re.sub(r"\{\{.*?\}\}", "x", label).split()) > MAX_BUTTON_WORDS
    }

    assert long == LONG_BUTTONS.keys(), (
        f"A button has at most {MAX_BUTTON_WORDS} words: a verb and its object. Shorten its label, "
        "or add it to LONG_BUTTONS with the reason; remove from there what is short by now."
    )
