"""Migration helper: normalizes texts stored before input was normalized to NFC."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.db import IntegrityError, migrations, models, transaction

SEARCHED = ("name", "description", "notes")


def compose_rows(app_label: str) -> migrations.RunPython:
    """Return the operation that composes what lists of an app search (Unicode NFC).

    Only rows with other letters are written; all others are just read, once.
    """
    return migrations.RunPython(_composing(app_label), migrations.RunPython.noop, elidable=True)


def _composing(app_label: str) -> Callable[[Any, Any], None]:
    def compose(apps: Any, schema_editor: Any) -> None:
        for model in apps.get_app_config(app_label).get_models():
            columns = [field.column for field in model._meta.local_fields if _is_searched(field)]
            for column in columns:
                _compose(schema_editor, model._meta.db_table, column)

    return compose


def _is_searched(field: models.Field) -> bool:
    return field.name in SEARCHED and isinstance(field, models.CharField | models.TextField)


def _compose(schema_editor: Any, table: str, column: str) -> None:
    table, column = schema_editor.quote_name(table), schema_editor.quote_name(column)
    # Two names that would be equal then, where each may be there once, stay as they are.
    with suppress(IntegrityError), transaction.atomic(using=schema_editor.connection.alias):
        schema_editor.execute(
            f"UPDATE {table} SET {column} = normalize({column}, NFC)"  # noqa: S608
            f" WHERE {column} IS NOT NFC NORMALIZED"
        )
