"""Every text of the console is translated, and the compiled catalogues match their sources."""

import ast
import re
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.utils.translation.template import templatize

from apps.console.domain.resources.resource_kinds import KINDS
from apps.console.domain.resources.resource_schema import schemas

ROOT = Path(settings.BASE_DIR)
LOCALE = ROOT / "apps" / "console" / "locale"
LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
MARKS = {"_": 1, "gettext": 1, "gettext_lazy": 1, "ngettext": 2, "ngettext_lazy": 2}


def words_of(code: str) -> set[str]:
    """Return the texts that a program has translated."""
    return {
        argument.value
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        for argument in node.args[: MARKS.get(node.func.id, 0)]
        if isinstance(argument, ast.Constant)
    }


def words_of_template(text: str) -> set[str]:
    calls = re.findall(r"n?gettext\((?:u'(?:[^'\\]|\\.)*'(?:, )?)+", templatize(text))
    found = [re.findall(r"u('(?:[^'\\]|\\.)*')", call) for call in calls]
    return {ast.literal_eval(word) for words in found for word in words}


def text_of() -> set[str]:
    texts = ROOT / "platform" / "core" / "text"
    sources = [*(ROOT / "apps" / "console").rglob("*.py"), *texts.rglob("*.py")]
    programs = [words_of(path.read_text()) for path in sources]
    folders = [ROOT / "templates" / name for name in ("console", "documents")]
    pages = [
        words_of_template(path.read_text()) for each in folders for path in each.rglob("*.html")
    ]
    return set().union(*programs, *pages)


def help_texts(client_of) -> set[str]:
    """The sentences of the OpenAPI documents that forms show below their fields."""
    services = {kind.service for kind in KINDS}
    documents = {name: client_of(name).get("/openapi.json").json() for name in services}
    fields = {name: schemas(document) for name, document in documents.items()}
    texts = set()
    for kind in KINDS:
        schema = fields[kind.service][kind.name]
        created = schema.created if kind.creates and not kind.new else ()
        changed = schema.changed if kind.changes else ()
        for field in (*(created or ()), *(changed or ())):
            texts |= {field.help} if field.help and field.name not in kind.omitted else set()
    return texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_translation_catalogue_is_complete_and_has_no_unused_texts(language, client_of, db):
    written = polib.pofile(LOCALE / language / "LC_MESSAGES" / "django.po")
    used = text_of() | help_texts(client_of)
    file = f"apps/console/locale/{language}/LC_MESSAGES/django.po"

    listed = {text for entry in written for text in (entry.msgid, entry.msgid_plural) if text}
    assert len(used) > 100
    assert sorted(used - listed) == [], f"add these to {file}, then compile as docs/console.md says"
    assert sorted(listed - used) == [], f"remove these from {file}: nothing uses them"
    assert [entry.msgid for entry in written if not entry.translated()] == [], (
        f"translate in {file}"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_the_placeholders(language):
    written = polib.pofile(LOCALE / language / "LC_MESSAGES" / "django.po")

    def values(text: str) -> list[str]:
        return sorted(re.findall(r"%\(\w+\)s|%%", text))

    for entry in written:
        for text in [entry.msgstr] if entry.msgstr else entry.msgstr_plural.values():
            assert values(text) == values(entry.msgid), f"correct the translation: {entry.msgid}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_compiled_catalogue_matches_its_source(language):
    folder = LOCALE / language / "LC_MESSAGES"
    written, compiled = polib.pofile(folder / "django.po"), polib.mofile(folder / "django.mo")

    def entries(file):
        return {(e.msgid, e.msgstr, tuple(e.msgstr_plural.values())) for e in file if e.msgid}

    assert entries(compiled) == entries(written), "compile the catalogue as docs/console.md says"
