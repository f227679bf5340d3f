"""manage.py storage: test, check, copy and list stored files."""

import re
from argparse import ArgumentParser
from collections.abc import Iterator
from os import environ
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.files import blobs, storage
from core.files.storage.errors import StorageError
from core.files.storage.garbage_collection import users_of
from core.files.storage.scrub import Found, audit_list, scrub
from core.files.storage.transfer import Transfer
from core.files.storage_url import Address, read_address
from core.models import Blob

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
LINE = re.compile(r"([0-9a-f]{64})  (\d+)")


class Command(BaseCommand):
    help = "Test, check, copy and list stored files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add a parser for each subcommand."""
        commands = parser.add_subparsers(dest="command", required=True)
        test = commands.add_parser("test", help="test an S3 server; leaves nothing there")
        test.add_argument("url", nargs="?", help="FILES_URL unless given")
        check = commands.add_parser("check", help="check files against rows")
        check.add_argument("--deep", action="store_true", help="hash them")
        check.add_argument("--sample", type=_share, default=0.0, help="read so many, as 1%%")
        check.add_argument("--at", metavar="URL", help="look there, in place of FILES_URL")
        check.add_argument("--list", type=Path, help="check what a list names, and no rows")
        copy = commands.add_parser(
            "copy", help="copy between storages, from FILES_FALLBACK_URL to FILES_URL by default"
        )
        copy.add_argument("--from", dest="old", metavar="URL")
        copy.add_argument("--to", dest="new", metavar="URL")
        copy.add_argument("--rate", type=rate_of, default=0.0, help="bytes a second, as 50M")
        commands.add_parser("list", help="list hashes and sizes, for a backup")

    def handle(self, *args: Any, command: str, **options: Any) -> None:
        """Run the subcommand."""
        try:
            getattr(self, f"_{command}")(**options)
        except StorageError as fault:
            raise CommandError(fault.words) from None

    # ------------------------------------------------------------ subcommands

    def _test(self, *, url: str | None, **options: Any) -> None:
        """Say of each probe whether it works; an error where one that is needed does not."""
        address = _address(url) if url else settings.FILES_AT
        if not address.bucket:
            raise CommandError("FILES_URL names no bucket: give one, as s3://bucket/prefix.")
        from core.files.storage.s3_conformance import (
            Probe,  # not above: brings the client of S3 along
        )

        missing = 0
        for found in Probe(address).findings():
            sign = "ok    " if found.works else "BROKEN" if found.needed else "note  "
            missing += found.needed and not found.works
            self.stdout.write(f"{sign} {found.name}: {found.words}")
            self.stdout.flush()
        if missing:
            raise CommandError(f"{missing} probes fail: keep no files there.")

    def _check(
        self, *, deep: bool, sample: float, at: str | None, list: Path | None, **options: Any
    ) -> None:
        """Compare rows, or a list, with files; an error that names what is damaged."""
        store = storage.opened(_address(at)) if at else storage.current()
        if list:
            found = audit_list(store, _listed(list), deep=deep)
        else:
            found = scrub(store, share=1.0 if deep else sample)
        self.stdout.write(f"{store}: {_summary(found)}")
        if found.unknown:
            self.stdout.write(f"{found.unknown} files have no row: what was killed left them.")
        if found.damaged:
            lines = [line for item in sorted(found.damaged.items()) for line in _whose(*item)]
            raise CommandError("\n".join([f"{len(found.damaged)} are damaged:", *lines]))

    def _copy(self, *, old: str | None, new: str | None, rate: float, **options: Any) -> None:
        """Copy what is missing; an error where a file could not be."""
        source = _address(old) if old else settings.FILES_FALLBACK_AT
        target = _address(new) if new else settings.FILES_AT
        if source is None:
            raise CommandError("Say where files come from: --from URL, or set FILES_FALLBACK_URL.")
        if source == target:
            raise CommandError(f"Both are {target}.")
        run = Transfer(
            storage.opened(source), storage.opened(target), scratch=blobs.scratch_dir, rate=rate
        )
        for done in run.run():
            self.stdout.write(f"{done.copied} copied, {done.there} were there")
            self.stdout.flush()
        done = run.done
        words = f"{done.copied} copied ({done.size} bytes), {done.there} were there: {target}"
        self.stdout.write(words)
        if target != settings.FILES_AT:
            self.stdout.write(
                f"The platform still writes to {settings.FILES_AT}: set FILES_URL to the new one "
                "and FILES_FALLBACK_URL to the old, restart it, and copy once more."
            )
        if done.failed:
            lines = [f"  {sha256}: {why}" for sha256, why in sorted(done.failed.items())]
            raise CommandError("\n".join([f"{len(lines)} could not be copied:", *lines]))

    def _list(self, **options: Any) -> None:
        """One line for each row: its hash and its bytes."""
        for blob in Blob.objects.order_by("pk").iterator():
            self.stdout.write(f"{blob.sha256}  {blob.size}")


def _summary(found: Found) -> str:
    hashed = f", {found.hashed} of them read and hashed" if found.hashed else ""
    return f"{found.rows} files, {found.size} bytes{hashed}, {len(found.damaged)} damaged"


def _whose(sha256: str, what: str) -> Iterator[str]:
    yield f"  {sha256}: {what}"
    for user in users_of(sha256):
        yield f"    of {user}"


def _listed(path: Path) -> Iterator[tuple[str, int]]:
    with path.open() as file:
        for number, line in enumerate(file, 1):
            found = LINE.fullmatch(line.rstrip("\n"))
            if not found:
                raise CommandError(f"{path}, line {number} is no hash and number of bytes.")
            yield found[1], int(found[2])


def _address(url: str) -> Address:
    try:
        return read_address(url, environ)
    except ValueError as error:
        raise CommandError(str(error).replace("FILES_URL", "The URL")) from None


def _share(text: str) -> float:
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def rate_of(text: str) -> float:
    """Bytes a second, as they are written on a command line: 50M."""
    unit = text[-1:].upper() if text[-1:].upper() in UNITS else ""
    return float(text[: len(text) - len(unit)]) * UNITS[unit]
