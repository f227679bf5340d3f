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


def test_a_database_without_a_platform_belongs_with_whoever_comes_first(db, settings):
    require_same_installation()
    record()

    require_same_installation()
    settings.SECRETS = THEIRS
    with pytest.raises(WrongInstallation, match="webhook_key. Copy secrets.json") as refused:
        require_same_installation()
    assert "secret_key" not in str(refused.value)


def test_a_machine_that_would_write_other_addresses_is_told(db, monkeypatch):
    record()

    monkeypatch.setattr(installation, "base_url", lambda host: "http://platform.test:8123")

    with pytest.raises(WrongInstallation, match="platform.test:8123 into URIs: set PARENT_HOST"):
        require_same_installation()


def test_a_platform_can_be_given_other_secrets(db, settings):
    record()
    settings.SECRETS, settings.NEW_IDENTITY = THEIRS, True

    require_same_installation()
    record()

    settings.NEW_IDENTITY = False
    require_same_installation()


def test_a_version_runs_on_the_database_of_the_next_and_no_longer(db, monkeypatch):
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


def test_fingerprints_tell_nothing_of_a_secret():
    assert not set(fingerprints(OURS).values()) & set(OURS.values())
    assert len({*fingerprints(OURS).values(), *fingerprints(THEIRS).values()}) == len(NAMES) + 1


def test_a_second_machine_makes_no_secrets_of_its_own(transactional_db, tmp_path: Path):
    file = tmp_path / "secrets.json"
    record()

    with pytest.raises(SecretsMissing, match="its secrets are not in"):
        load_secrets(file, allow=require_new(url_of_the_tests(), file))

    assert not file.exists()


def test_the_first_machine_makes_them(transactional_db, tmp_path: Path):
    file = tmp_path / "secrets.json"

    made = load_secrets(file, allow=require_new(url_of_the_tests(), file))

    assert set(made) == set(NAMES)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load_secrets(file, allow=lambda: pytest.fail("they are there")) == made


def test_none_are_made_while_nobody_knows_whether_there_are_some(tmp_path: Path):
    file = tmp_path / "secrets.json"

    with pytest.raises(SecretsMissing, match="does not answer"):
        load_secrets(file, allow=require_new("postgresql://127.0.0.1:1/platform", file))


def test_the_databases_table_holds_one_row(db):
    record()
    record()

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM core_installation")
        assert cursor.fetchone() == (1,)
