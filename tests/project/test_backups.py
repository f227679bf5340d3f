"""A backup that is not whole is told, and a restore writes over nothing."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from django.conf import settings

from core.postgres import base_backup
from core.postgres.base_backup import FILES, LOG, MANIFEST, BackupFailed
from core.postgres.embedded import EmbeddedPostgres, PostgresFailed
from core.secrets_file import SecretsMissing, bring_secrets, load_secrets
from ops import backup as backups

CONTENT = {"PG_VERSION": b"18\n", "base/1/2": b"rows" * 5000}


@pytest.fixture
def backup(tmp_path) -> Path:
    """A folder as pg_basebackup leaves it."""
    folder = tmp_path / "backup"
    folder.mkdir()
    _write(folder, CONTENT)
    files = [
        {"Path": name, "Size": len(data), "Checksum": hashlib.sha256(data).hexdigest()}
        for name, data in CONTENT.items()
    ]
    (folder / MANIFEST).write_text(json.dumps({"Files": files}))
    with tarfile.open(folder / LOG, "w:gz") as log:
        _add(log, "000000010000000000000001", b"written")
    return folder


def _write(folder: Path, content: dict[str, bytes]) -> None:
    with tarfile.open(folder / FILES, "w:gz") as files:
        for name, data in content.items():
            _add(files, name, data)


def _add(files: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    files.addfile(member, io.BytesIO(data))


def test_complete_backup_is_restored_as_a_cluster(backup, tmp_path):
    base_backup.check(backup)

    server = EmbeddedPostgres(tmp_path / "data")
    server.adopt(lambda cluster: base_backup.unpack(backup, cluster))

    assert (server.cluster / "base/1/2").read_bytes() == CONTENT["base/1/2"]
    assert (server.cluster / "pg_wal/000000010000000000000001").read_bytes() == b"written"
    assert server.cluster.stat().st_mode & 0o777 == 0o700
    with pytest.raises(PostgresFailed, match="a database in .* already"):
        server.adopt(lambda cluster: base_backup.unpack(backup, cluster))


def test_check_reports_changed_and_missing_files(backup):
    _write(backup, CONTENT | {"base/1/2": b"ROWS" * 5000})
    with pytest.raises(BackupFailed, match="base/1/2 has other bytes"):
        base_backup.check(backup)

    _write(backup, {"PG_VERSION": CONTENT["PG_VERSION"]})
    with pytest.raises(BackupFailed, match="lacks 1 files, as base/1/2"):
        base_backup.check(backup)


@pytest.mark.parametrize("name", [FILES, LOG])
def test_check_reports_truncated_archive(backup, name):
    whole = (backup / name).read_bytes()
    (backup / name).write_bytes(whole[: len(whole) // 2])

    with pytest.raises(BackupFailed, match="cannot be read"):
        base_backup.check(backup)


def test_wal_archive_of_several_gzip_members_is_unpacked(backup, tmp_path):
    """As pg_basebackup writes it."""
    log = gzip.decompress((backup / LOG).read_bytes())
    (backup / LOG).write_bytes(gzip.compress(log[:300]) + gzip.compress(log[300:]))

    base_backup.unpack(backup, tmp_path / "cluster")

    assert (tmp_path / "cluster/pg_wal/000000010000000000000001").read_bytes() == b"written"


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("../outside", tarfile.REGTYPE, "leads out of"),
        ("/etc/outside", tarfile.REGTYPE, "leads out of"),
        ("base/link", tarfile.SYMTYPE, "neither a file nor a directory"),
        ("base/hard", tarfile.LNKTYPE, "neither a file nor a directory"),
        ("base/device", tarfile.FIFOTYPE, "neither a file nor a directory"),
    ],
)
def test_backup_with_unsafe_archive_member_is_not_unpacked(backup, tmp_path, name, kind, reason):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, "base/1/2"
    with tarfile.open(backup / FILES, "w:gz") as files:
        _add(files, "base/1/2", CONTENT["base/1/2"])
        files.addfile(member)

    with pytest.raises(BackupFailed, match=reason):
        base_backup.unpack(backup, tmp_path / "cluster")

    assert not (tmp_path / "outside").exists()


def test_incomplete_backup_is_rejected(tmp_path):
    with pytest.raises(BackupFailed, match="no whole backup"):
        backups.read(tmp_path)


def test_restore_brings_back_secrets_but_never_overwrites_other_ones(tmp_path):
    kept, ours = tmp_path / "backup.json", tmp_path / "data" / "secrets.json"
    known = load_secrets(kept)

    bring_secrets(kept, ours)
    bring_secrets(kept, ours)
    assert load_secrets(ours) == known
    assert ours.stat().st_mode & 0o777 == 0o600

    load_secrets(tmp_path / "others.json")
    with pytest.raises(SecretsMissing, match="belong to another platform"):
        bring_secrets(kept, tmp_path / "others.json")
    with pytest.raises(SecretsMissing, match="name the folder of a backup"):
        bring_secrets(tmp_path / "nothing", ours)


def test_restore_of_invalid_backup_folder_creates_no_secrets(tmp_path):
    words = [sys.executable, str(settings.BASE_DIR / "manage.py"), "restore", str(tmp_path)]
    environment = os.environ | {"DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": ""}

    ran = subprocess.run(words, env=environment, capture_output=True, text=True)

    assert ran.returncode == 1
    assert "name the folder of a backup" in ran.stderr
    assert not (tmp_path / "data").exists()
