from django.db import migrations

# Whether an account had nothing in the queue when it sent this; see core.queue.fair_queueing. The version before
# writes none and claims by turns alone.
NEWCOMERS = """
ALTER TABLE dramatiq.queue ADD COLUMN newcomer boolean NOT NULL DEFAULT false;
CREATE INDEX queue_newcomer ON dramatiq.queue (queue_name, position)
    WHERE state = 'queued' AND newcomer;
ALTER TABLE dramatiq.worker ADD COLUMN queues text[];
"""
NO_NEWCOMERS = """
ALTER TABLE dramatiq.queue DROP COLUMN newcomer;
ALTER TABLE dramatiq.worker DROP COLUMN queues;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0007_fleet'),
    ]

    operations = [
        migrations.RunSQL(NEWCOMERS, NO_NEWCOMERS),
    ]
