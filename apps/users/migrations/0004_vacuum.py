from django.db import migrations

# What is shared is read from an index alone as long as vacuum has seen the rows: after 2 % of
# change, not 20.
VACUUM = """
ALTER TABLE users_permission SET (autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.02)
"""
NO_VACUUM = """
ALTER TABLE users_permission RESET (autovacuum_vacuum_scale_factor,
    autovacuum_vacuum_insert_scale_factor)
"""


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0003_keys'),
    ]

    operations = [
        migrations.RunSQL(VACUUM, NO_VACUUM),
    ]
