from django.db import migrations

# What is sent has an account and a turn; see core.queue.fair_queueing. The package names its columns when it
# writes, so that each of ours needs a default.
TURNS = """
ALTER TABLE dramatiq.queue
    ADD COLUMN account uuid,
    ADD COLUMN turn double precision NOT NULL DEFAULT 0,
    ADD COLUMN cost real NOT NULL DEFAULT 1,
    ADD COLUMN subject text;
CREATE INDEX queue_turn ON dramatiq.queue (queue_name, turn, position) WHERE state = 'queued';
CREATE INDEX queue_account ON dramatiq.queue (queue_name, account, turn DESC)
    WHERE state IN ('queued', 'consumed');
CREATE INDEX queue_clock ON dramatiq.queue (queue_name, turn) WHERE state = 'consumed';
CREATE INDEX queue_subject ON dramatiq.queue (subject) WHERE subject IS NOT NULL;
"""
NO_TURNS = """
ALTER TABLE dramatiq.queue
    DROP COLUMN account, DROP COLUMN turn, DROP COLUMN cost, DROP COLUMN subject;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0001_initial'),
        ('dramatiq_postgres', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(TURNS, NO_TURNS),
    ]
