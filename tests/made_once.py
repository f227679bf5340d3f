"""Rows and files of a fixture that is slow to make: made once, and put back in each later test.

A test is a transaction that is rolled back, so that what a shop needs is made anew by dozens of
requests for every test. Here the rows that were inserted or changed are read from the tables of
this transaction after they were made the first time; a later test copies them into its own.
"""

import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from django.db import connection, transaction

# Tables that have rows of this transaction: columns that can be copied, key, whether rows changed.
TABLES = """
SELECT c.oid::regclass::text,
       string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
         FILTER (WHERE a.attgenerated = ''),
       (SELECT string_agg(quote_ident(k.attname) || '::text', ', ') FROM pg_index i
          JOIN pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)
         WHERE i.indrelid = c.oid AND i.indisprimary),
       max(s.n_tup_upd)
FROM pg_stat_xact_user_tables s
JOIN pg_class c ON c.oid = s.relid AND c.relkind = 'r' AND c.relpersistence <> 't'
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE s.n_tup_ins + s.n_tup_upd > 0
GROUP BY c.oid
"""
# Rows of these are counted by triggers of others: they are put back last, over what was counted.
COUNTED = ("core_usage", "erp_order")


class Rows(NamedTuple):
    """Rows of a table in COPY's text; `delete`: what removes rows that have their keys, or ""."""

    table: str
    columns: str
    text: bytes
    delete: str


class Made(NamedTuple):
    """What was made: its rows, a folder of its files, and what was returned, pickled."""

    rows: list[Rows]
    files: Path
    value: bytes


class MadeOnce:
    """`made_once(name, make)`: what `make()` returns, with its rows and files.

    What is returned is pickled. What `make` finds in the database has the same keys in each test.
    """

    _results: ClassVar[dict[str, Made]] = {}

    def __init__(self, files: Path, folder: Callable[[str], Path]):
        self.files, self.folder = files, folder

    def __call__(self, name: str, make: Callable[[], Any]) -> Any:
        if not connection.in_atomic_block:  # of a test that commits, and is emptied after it
            return make()
        if name not in self._results:
            self._results[name] = self._made(make)
        else:
            self._put_back(self._results[name])
        return pickle.loads(self._results[name].value)  # noqa: S301  written above

    def _made(self, make: Callable[[], Any]) -> Made:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TEMP TABLE IF NOT EXISTS marks (at int) ON COMMIT DROP")
            with transaction.atomic():  # a subtransaction: later ones have larger numbers
                cursor.execute("INSERT INTO marks VALUES (1) RETURNING xmin::text::bigint")
                (mark,) = cursor.fetchone()
            with transaction.atomic():
                value = make()
            cursor.execute(TABLES)
            tables = cursor.fetchall()
            rows = [_rows(cursor, mark, *table) for table in tables]
        files = self.folder("made")
        if self.files.exists():
            shutil.copytree(self.files, files, dirs_exist_ok=True)
        rows.sort(key=lambda each: each.table in COUNTED)
        return Made([each for each in rows if each.text], files, pickle.dumps(value))

    def _put_back(self, made: Made) -> None:
        with connection.cursor() as cursor:
            for each in made.rows:
                if each.delete:
                    cursor.execute(each.delete)
                copy = f"COPY {each.table} ({each.columns}) FROM STDIN"
                with cursor.cursor.copy(copy) as target:
                    target.write(each.text)
        shutil.copytree(made.files, self.files, dirs_exist_ok=True)


def _rows(cursor: Any, mark: int, table: str, columns: str, key: str, updates: int) -> Rows:
    """The rows of a table that were written after the one with the transaction number `mark`."""
    new = f"FROM {table} WHERE xmin::text::bigint > {mark}"  # noqa: S608  names of the catalogue
    with cursor.cursor.copy(f"COPY (SELECT {columns} {new}) TO STDOUT") as source:
        text = b"".join(bytes(part) for part in source)
    if not (key and text and (updates or table in COUNTED)):
        return Rows(table, columns, text, "")
    cursor.execute(f"SELECT array_agg(ARRAY[{key}]::text) {new}")  # noqa: S608
    keys = ", ".join(f"$k${each}$k$" for each in cursor.fetchone()[0])
    return Rows(table, columns, text, f"DELETE FROM {table} WHERE ARRAY[{key}]::text IN ({keys})")
