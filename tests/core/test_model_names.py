"""The migration that renames model classes."""

import io
from importlib import import_module

from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection

from core.models import ServerError


def test_renaming_models_changes_no_table(db):
    out = io.StringIO()

    call_command("sqlmigrate", "core", "0010", stdout=out)

    statements = [line for line in out.getvalue().splitlines() if not line.startswith("--")]
    assert [line for line in statements if line] == ["BEGIN;", "COMMIT;"]


def test_permissions_of_a_renamed_model_stay_granted(operator):
    kind = ContentType.objects.get_for_model(ServerError)
    Permission.objects.filter(content_type=kind, codename="view_servererror").delete()
    former = Permission.objects.create(content_type=kind, codename="view_fault", name="")
    operator.user_permissions.add(former)

    migration = import_module("core.migrations.0010_model_names")
    with connection.schema_editor() as schema_editor:
        migration.rename_permissions(apps, schema_editor)

    assert operator.has_perm("core.view_servererror")
