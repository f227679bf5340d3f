from django.db import migrations

# Whom the database belongs with (core.installation), and the lock that a living worker's session
# holds (core.queue.lease). The package writes its own columns alone, so that ours need a default.
FLEET = """
CREATE TABLE core_installation (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    identity jsonb NOT NULL,
    least integer NOT NULL
);
ALTER TABLE dramatiq.worker ADD COLUMN lease bigint;
"""
NO_FLEET = """
DROP TABLE core_installation;
ALTER TABLE dramatiq.worker DROP COLUMN lease;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0006_remote_files'),
    ]

    operations = [
        migrations.RunSQL(FLEET, NO_FLEET),
    ]
