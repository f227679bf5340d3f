"""Physical base backups (pg_basebackup): taken online, verified against the manifest, restored.

`pg_basebackup` copies the cluster's files and the log written meanwhile, with which a server that
starts from them reaches a consistent state. It holds no snapshot, so vacuum continues behind the
queue. `pg_dump` holds one for its whole duration; it is supported for servers without replication
rights.
"""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path, PurePosixPath

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from core.postgres.server_config import packages, server_in

# What pg_basebackup writes into its folder.
FILES, LOG, MANIFEST = "base.tar.gz", "pg_wal.tar.gz", "backup_manifest"
DUMP = "database.dump"
CHUNK = 1 << 20


class BackupFailed(Exception):
    """A backup failed or is incomplete; the text has the reason and the remedy."""


def take(url: str, folder: Path, *, rate: float = 0) -> None:
    """Copy the cluster that `url` leads to into `folder`, and check the copy.

    url  : of a role that may replicate
    rate : bytes a second at most; 0 for any

    Raises BackupFailed.
    """
    # The checkpoint that it begins with is taken at once: spread out it would wait for minutes.
    words = ["--format=tar", "--gzip", "--compress=1", "--wal-method=stream", "--checkpoint=fast"]
    words += ["--manifest-checksums=SHA256", "--no-password", f"--pgdata={folder}"]
    if rate:  # what it takes is between these
        words.append(f"--max-rate={min(max(round(rate / 1024), 32), 1 << 20)}k")
    _run("pg_basebackup", words, url)
    check(folder)


def check(folder: Path) -> None:
    """Read all of it, and compare each file with the manifest that the server made.

    (The package's pg_verifybackup ends with a segmentation fault.) Raises BackupFailed.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        missing = {each["Path"]: each for each in manifest["Files"]}
        with tarfile.open(folder / FILES, "r:gz") as files:
            for member in files:
                content = files.extractfile(member) if member.isfile() else None
                if content is None:
                    continue
                digest = hashlib.sha256()
                while data := content.read(CHUNK):
                    digest.update(data)
                expected = missing.pop(str(PurePosixPath(member.name)), None)
                if expected and expected["Checksum"] != digest.hexdigest():
                    raise BackupFailed(f"{folder / FILES}: {member.name} has other bytes.")
        with gzip.open(folder / LOG) as log:  # each of its records has a checksum of its own
            while log.read(CHUNK):
                pass
    except (OSError, EOFError, ValueError, tarfile.TarError) as error:
        raise BackupFailed(f"The backup in {folder} cannot be read: {error}") from None
    if missing:
        raise BackupFailed(f"{folder / FILES} lacks {len(missing)} files, as {min(missing)}.")


def unpack(folder: Path, cluster: Path) -> None:
    """Write the cluster's files into an empty folder, for a server to start from.

    Raises BackupFailed.
    """
    try:
        for name, place in ((FILES, cluster), (LOG, cluster / "pg_wal")):
            # No stream ("r|gz"): the log's file is several gzip files, one after another.
            with tarfile.open(folder / name, "r:gz") as files:
                for member in files:
                    _extract(files, member, place)
    except (OSError, EOFError, tarfile.TarError) as error:
        raise BackupFailed(f"The backup in {folder} cannot be unpacked: {error}") from None
    for path in (cluster, *cluster.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _extract(files: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write one file or directory of an archive below a folder.

    `TarFile.extract` has its `filter` from Python 3.11.4 on; Debian 12 was released with 3.11.2.

    Raises tarfile.TarError for a link, a device, or a path that leads out of the folder.
    """
    name = PurePosixPath(member.name)
    if name.is_absolute() or ".." in name.parts:
        raise tarfile.TarError(f"{member.name} leads out of the archive's folder")
    if member.isdir():
        (folder / name).mkdir(parents=True, exist_ok=True)
    elif member.isfile() and (content := files.extractfile(member)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with content, (folder / name).open("wb") as file:
            shutil.copyfileobj(content, file, CHUNK)
    else:
        raise tarfile.TarError(f"{member.name} is neither a file nor a directory")


def dump(url: str, folder: Path) -> None:
    """Write the database of `url` as statements, which another version's server takes too.

    Raises BackupFailed.
    """
    words = ["--format=custom", "--no-owner", "--no-password", f"--file={folder / DUMP}"]
    _run("pg_dump", words, url)


def load(folder: Path, url: str) -> None:
    """Bring what `dump` wrote into an empty database. Raises BackupFailed."""
    # Who may not change the extension, which is there already, may not comment on it either.
    words = ["--no-owner", "--no-comments", "--exit-on-error", "--single-transaction"]
    _run("pg_restore", [*words, "--no-password", str(folder / DUMP)], url)


def is_empty(url: str) -> bool:
    """Whether a database has no platform in it. Raises BackupFailed."""
    try:
        with psycopg.connect(url, connect_timeout=5) as line:
            return line.execute("SELECT to_regclass('django_migrations')").fetchone() == (None,)
    except psycopg.OperationalError as error:
        raise BackupFailed(f"The database does not answer: {error}") from None


def _run(program: str, words: list[str], url: str) -> None:
    """Run one of PostgreSQL's programs; the password is in the environment, not an argument."""
    parts = conninfo_to_dict(url)
    password = parts.pop("password", None)
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    path, address = server_in(packages()) / "bin" / program, make_conninfo("", **parts)
    ran = subprocess.run(  # noqa: S603 (the words are ours)
        [str(path), f"--dbname={address}", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise BackupFailed(
            f"{program}: {ran.stderr.strip() or ran.returncode}{_advice(ran.stderr)}"
        )


def _advice(said: str) -> str:
    if "no pg_hba.conf entry for replication" not in said and "permission denied" not in said:
        return ""
    return (
        "\nThe server lets this role not copy its files. Have a superuser run ALTER ROLE ... "
        "REPLICATION, and allow the role `replication` in pg_hba.conf; or name another role by "
        "--database URL. A server that allows it nobody is dumped, by --dump."
    )
