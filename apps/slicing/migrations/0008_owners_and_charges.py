from django.db import migrations

OWNERS = """
    UPDATE users_permission p SET object_owner_id = o.owner_id FROM (
    SELECT uuid, owner_id FROM slicing_config
    UNION ALL SELECT uuid, owner_id FROM slicing_constraint
    UNION ALL SELECT uuid, owner_id FROM slicing_gcode
    UNION ALL SELECT uuid, owner_id FROM slicing_slice
    UNION ALL SELECT uuid, owner_id FROM slicing_association
    ) AS o WHERE o.uuid = p.object_uuid
"""
# The URI of a slice ends with its key and a slash.
CHARGES = """
    UPDATE slicing_slice s SET charged = true FROM payment_charge c
    WHERE c.status = 'recorded' AND c.corrects_id IS NULL
        AND c.source LIKE '%/slice/%' AND right(c.source, 37) = s.uuid || '/'
"""


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0005_permission_object_owner'),
        ('payment', '0002_what_is_issued_stays'),
        ('slicing', '0007_charged_slices'),
    ]

    operations = [
        migrations.RunSQL(OWNERS, migrations.RunSQL.noop),
        migrations.RunSQL(CHARGES, migrations.RunSQL.noop),
    ]
