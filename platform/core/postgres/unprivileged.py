"""Runs programs that refuse root (postgres, initdb) as an unprivileged system user."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

SYSTEM_USER = "platform-db"
FALLBACK_USER = "nobody"
SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"


class Account(NamedTuple):
    uid: int
    gid: int


def server_account() -> Account:
    """Return the server's account: the caller, or for root an unprivileged system user."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    for name in (SYSTEM_USER, FALLBACK_USER):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise LookupError(f"Neither {SYSTEM_USER} nor {FALLBACK_USER} is a user of this system.")


def make_system_user() -> None:
    """Make the system user if this is root and it is missing; where that fails, do without."""
    if os.geteuid() != 0:
        return
    useradd = shutil.which("useradd", path=SYSTEM_PATH)
    try:
        pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        if useradd:
            subprocess.run(  # noqa: S603 (the words are ours)
                [useradd, "--system", "--no-create-home", "--shell=/usr/sbin/nologin", SYSTEM_USER],
                capture_output=True,
                check=False,
            )


def way_in(account: Account, *paths: Path) -> list[str] | None:
    """Return a command prefix that runs a command as `account` with access to all `paths`.

    The account itself if it has access; for root also with the capability to read all files, for a
    checkout below a private home. None where neither has access.
    """
    if os.geteuid() != 0:
        return [] if all(os.access(path, os.X_OK) for path in paths) else None
    user = ["setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups"]
    reading = "-all,+dac_read_search"
    # Without no_setuid_fixup, access(2) ignores the capability, and PostgreSQL asks access(2)
    # about its own program.
    reader = ["--securebits=+no_setuid_fixup", f"--inh-caps={reading}", f"--ambient-caps={reading}"]
    test = ["test", "-x", str(paths[0])]
    for path in paths[1:]:
        test += ["-a", "-x", str(path)]
    for words in (user, user + reader):
        question = [*words, *test]
        if subprocess.run(question, capture_output=True).returncode == 0:  # noqa: S603 (as above)
            return words
    return None
