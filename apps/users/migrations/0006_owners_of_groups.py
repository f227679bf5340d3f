from django.db import migrations

# Every app does the same for what it has.
OWNERS = """
    UPDATE users_permission p SET object_owner_id = g.creator_id FROM users_group g
    WHERE g.uuid = p.object_uuid
"""


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0005_permission_object_owner'),
    ]

    operations = [
        migrations.RunSQL(OWNERS, migrations.RunSQL.noop),
    ]
