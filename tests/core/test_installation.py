"""A process with other secrets than its database's platform, or too old for it, does not start."""

import stat
from pathlib import Path

import pytest
from django.db import connection

from core import installation
from core.installation import WrongInstallation, record, require_new, require_same_installation
from core.secrets_file import NAMES, SecretsMissing, fingerprints, load_secrets
from tests.core.postgres.test_connections import url_of_the_tests

OURS = {name: f"{name} of ours" for name in NAMES}
THEIRS = OURS | {"webhook_key": "theirs"}


@pytest.fixture(autouse=True)
def _ours(settings) -> None:
    settings.SECRETS = OURS


def test_first_recorded_installation_claims_the_database(db, settings):
    require_same_installation()
    record()

    require_same_installation()
    settings.SECRETS = THEIRS
    with pytest.raises(WrongInstallation, match="webhook_key. Copy secrets.json") as refused:
        require_same_installation()
    assert "secret_key" not in str(refused.value)


def test_different_base_url_is_rejected_with_parent_host_hint(db, monkeypatch):
    record()

    monkeypatch.setattr(installation, "base_url", lambda host: "http://platform.test:8123")

    with pytest.raises(WrongInstallation, match="platform.test:8123 into URIs: set PARENT_HOST"):
        require_same_installation()


def test_new_identity_accepts_other_secrets(db, settings):
    record()
    settings.SECRETS, settings.NEW_IDENTITY = THEIRS, True

    require_same_installation()
    record()

    settings.NEW_IDENTITY = False
    require_same_installation()


def test_version_accepts_next_schema_generation_but_no_later_one(db, monkeypatch):
    record()
    monkeypatch.setattr(installation, "GENERATION", 2)
    record()
    monkeypatch.setattr(installation, "GENERATION", 1)
    require_same_installation()

    monkeypatch.setattr(installation, "GENERATION", 3)
    record()
    monkeypatch.setattr(installation, "GENERATION", 1)
    with pytest.raises(WrongInstallation, match="newer version"):
        require_same_installation()


def test_fingerprints_do_not_reveal_secrets():
    assert not set(fingerprints(OURS).values()) & set(OURS.values())
    assert len({*fingerprints(OURS).values(), *fingerprints(THEIRS).values()}) == len(NAMES) + 1


def test_secrets_are_not_created_when_database_has_an_installation(
    transactional_db, tmp_path: Path
):
    file = tmp_path / "secrets.json"
    record()

    with pytest.raises(SecretsMissing, match="its secrets are not in"):
        load_secrets(file, allow=require_new(url_of_the_tests(), file))

    assert not file.exists()


def test_secrets_are_created_when_database_has_no_installation(transactional_db, tmp_path: Path):
    file = tmp_path / "secrets.json"

    made = load_secrets(file, allow=require_new(url_of_the_tests(), file))

    assert set(made) == set(NAMES)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load_secrets(file, allow=lambda: pytest.fail("they are there")) == made


def test_secrets_are_not_created_when_database_does_not_answer(tmp_path: Path):
    file = tmp_path / "secrets.json"

    with pytest.raises(SecretsMissing, match="does not answer"):
        load_secrets(file, allow=require_new("postgresql://127.0.0.1:1/platform", file))


def test_installation_table_holds_one_row(db):
    record()
    record()

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM core_installation")
        assert cursor.fetchone() == (1,)
