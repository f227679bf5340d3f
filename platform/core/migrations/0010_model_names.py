"""Rename four model classes; their tables keep their names, so a version before still runs."""

from typing import Any

from django.db import migrations

NAMES = {
    "Canary": ("QueueProbe", "core_canary"),
    "DoomedFile": ("PendingDeletion", "core_doomedfile"),
    "Fault": ("ServerError", "core_fault"),
    "Pace": ("JobPace", "core_pace"),
}


def rename_permissions(apps: Any, schema_editor: Any, *, back: bool = False) -> None:
    """Keep what operators were granted: `RenameModel` renames content types alone."""
    permissions = apps.get_model("auth", "Permission").objects.using(schema_editor.connection.alias)
    for names in ((old.lower(), new.lower()) for old, (new, _) in NAMES.items()):
        old, new = reversed(names) if back else names
        for action in ("add", "change", "delete", "view"):
            permissions.filter(content_type__app_label="core", codename=f"{action}_{old}").update(
                codename=f"{action}_{new}"
            )


def restore_permissions(apps: Any, schema_editor: Any) -> None:
    rename_permissions(apps, schema_editor, back=True)


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("core", "0009_unused_files"),
    ]
    operations = [
        # Both emit no statement: the table that a class is given is the one that it has.
        *(migrations.AlterModelTable(name=old, table=table) for old, (_, table) in NAMES.items()),
        *(migrations.RenameModel(old_name=old, new_name=new) for old, (new, _) in NAMES.items()),
        migrations.RunPython(rename_permissions, restore_permissions),
    ]
