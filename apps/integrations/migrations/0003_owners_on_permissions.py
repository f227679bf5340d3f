from django.db import migrations

OWNERS = """
    UPDATE users_permission p SET object_owner_id = o.owner_id FROM (
    SELECT uuid, owner_id FROM integrations_operation UNION ALL SELECT uuid, creator_id FROM integrations_service
    ) AS o WHERE o.uuid = p.object_uuid
"""


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0005_permission_object_owner'),
        ('integrations', '0002_reports_told_together'),
    ]

    operations = [
        migrations.RunSQL(OWNERS, migrations.RunSQL.noop),
    ]
