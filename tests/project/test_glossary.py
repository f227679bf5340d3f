"""Each property of each host's document has its sentence, and each sentence its property."""

import tomllib

import pytest
from django.conf import settings
from django.test import Client

from core.api.openapi.property_descriptions import GLOSSARIES, glossary, names_of, properties

MAX_LENGTH = 160  # characters of a sentence
HOSTS = (*settings.SERVICES, "data")


def schemas(host: str) -> dict:
    client = Client(SERVER_NAME=f"{host}.{settings.PARENT_HOST}")
    return client.get("/openapi.json").json()["components"]["schemas"]


@pytest.mark.parametrize("host", HOSTS)
def test_every_openapi_property_has_a_description(host):
    found = dict(properties(schemas(host)))

    assert len(found) > 20
    missing = [path for path, schema in found.items() if "description" not in schema]
    assert missing == [], "add a sentence for each to the glossary.toml of its app"


def test_every_glossary_entry_belongs_to_a_property():
    found = {
        name for host in HOSTS for path, _ in properties(schemas(host)) for name in names_of(path)
    }

    unused = set(glossary()) - found
    assert unused == set(), "remove or rename these entries of apps/*/glossary.toml"


def test_glossary_sentences_are_short_and_complete():
    sentences = [sentence for path in GLOSSARIES for sentence in _sentences(path)]

    lower = [text for text in sentences if not text[0].isupper() and text[0].isalpha()]
    odd = [text for text in sentences if text[-1] != "." or len(text) > MAX_LENGTH]
    assert len(sentences) > 300
    assert lower == [], "begin these of apps/*/glossary.toml with a capital letter"
    assert odd == [], f"end these of apps/*/glossary.toml with a full stop within {MAX_LENGTH}"


def _sentences(path):
    for entry in tomllib.loads(path.read_text()).values():
        yield from [entry] if isinstance(entry, str) else entry.values()
