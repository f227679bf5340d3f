from django.db import migrations

# What a worker's own clock said at its last heartbeat, which `heartbeat_at` has by the database's,
# and the name of its machine.
CLOCK = "ALTER TABLE dramatiq.worker ADD COLUMN clock timestamptz, ADD COLUMN machine text;"
NO_CLOCK = "ALTER TABLE dramatiq.worker DROP COLUMN clock, DROP COLUMN machine;"


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0010_model_names'),
    ]

    operations = [
        migrations.RunSQL(CLOCK, NO_CLOCK),
    ]
