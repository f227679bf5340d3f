"""Each property of each host's document has its sentence, and each sentence its property."""

import tomllib

import pytest
from django.conf import settings
from django.test import Client

from core.api.property_descriptions import GLOSSARIES, glossary, names_of, properties

LONGEST = 160  # characters of a sentence
HOSTS = (*settings.SERVICES, "data")


def schemas(host: str) -> dict:
    client = Client(SERVER_NAME=f"{host}.{settings.PARENT_HOST}")
    return client.get("/openapi.json").json()["components"]["schemas"]


@pytest.mark.parametrize("host", HOSTS)
def test_every_openapi_property_has_a_description(host):
    found = dict(properties(schemas(host)))

    assert len(found) > 20
    assert [path for path, schema in found.items() if "description" not in schema] == []


def test_every_glossary_entry_belongs_to_a_property():
    found = {
        name for host in HOSTS for path, _ in properties(schemas(host)) for name in names_of(path)
    }

    assert set(glossary()) - found == set()


def test_glossary_sentences_are_short_and_complete():
    said = [words for path in GLOSSARIES for words in _sentences(path)]

    assert len(said) > 300
    assert [words for words in said if not words[0].isupper() and words[0].isalpha()] == []
    assert [words for words in said if words[-1] != "." or len(words) > LONGEST] == []


def _sentences(path):
    for told in tomllib.loads(path.read_text()).values():
        yield from [told] if isinstance(told, str) else told.values()
