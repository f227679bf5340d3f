from django.db import migrations

OWNERS = """
    UPDATE users_permission p SET object_owner_id = o.owner_id FROM warehouse_model o
    WHERE o.uuid = p.object_uuid
"""


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0005_permission_object_owner'),
        ('warehouse', '0004_found_facts_and_cameras'),
    ]

    operations = [
        migrations.RunSQL(OWNERS, migrations.RunSQL.noop),
    ]
