"""The stored schema, which new installations load in place of all migrations."""

import re
import runpy
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from ops.pending_migrations import SCHEMA, load_stored_schema

ROOT = Path(__file__).resolve().parents[2]
STALE = "platform/ops/schema.sql is older than the migrations: run make schema"
ROW = re.compile(r"^\('(\w+)', '(\w+)', now\(\)\)[,;]$", re.MULTILINE)


def test_every_migration_is_in_the_stored_schema():
    on_disk = set(MigrationLoader(None).disk_migrations)

    assert set(ROW.findall(SCHEMA.read_text())) == on_disk, STALE


@pytest.mark.django_db
def test_database_with_tables_is_left_as_it_is():
    before = connection.introspection.table_names()

    assert load_stored_schema() is False
    assert connection.introspection.table_names() == before


@pytest.mark.django_db
def test_server_of_another_version_gets_the_migrations(monkeypatch, tmp_path):
    path = tmp_path / "schema.sql"
    path.write_text("-- PostgreSQL 12\nCREATE TABLE of_the_file ();\n")
    monkeypatch.setattr("ops.pending_migrations.SCHEMA", path)
    monkeypatch.setattr("ops.pending_migrations.HAS_TABLES", "SELECT false")

    assert load_stored_schema() is False
    assert "of_the_file" not in connection.introspection.table_names()


@pytest.mark.slow
def test_stored_schema_is_what_all_migrations_make():
    dump = runpy.run_path(str(ROOT / "bin" / "dump-schema"))["dump"]

    assert dump("--all-migrations") == SCHEMA.read_text(), STALE
    assert dump() == SCHEMA.read_text()
