"""What is told is an event of its own; a callback is a subscription to one resource."""

import core.keys
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

# Of each old delivery its event: one for all callbacks of a resource.
EVENTS = """
INSERT INTO callbacks_event (uuid, owner_id, position, seq, uri, type, body, created)
SELECT uuid, owner_id, row_number() OVER (PARTITION BY owner_id ORDER BY uuid), seq, resource,
    split_part(resource, '/', -3) || '.' || (body::json ->> 'status'), body, created
FROM (
    SELECT DISTINCT ON (s.resource, d.seq) d.uuid, s.owner_id, d.seq, s.resource, d.body, d.created
    FROM callbacks_delivery d JOIN callbacks_subscription s ON s.uuid = d.subscription_id
    ORDER BY s.resource, d.seq, d.uuid
) AS told;
INSERT INTO callbacks_eventcounter (owner_id, last)
SELECT owner_id, max(position) FROM callbacks_event GROUP BY owner_id;
UPDATE callbacks_delivery d SET event_id = e.uuid, lane = d.subscription_id
FROM callbacks_subscription s, callbacks_event e
WHERE s.uuid = d.subscription_id AND e.uri = s.resource AND e.seq = d.seq;
SET CONSTRAINTS ALL IMMEDIATE; -- what follows alters these tables
"""


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('callbacks', '0001_initial'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='delivery', name='delivery_sequence'),
        migrations.RenameModel(old_name='Callback', new_name='Subscription'),
        migrations.RenameField(model_name='subscription', old_name='uri', new_name='resource'),
        migrations.RenameField(model_name='delivery', old_name='callback', new_name='subscription'),
        migrations.AlterField(
            model_name='subscription',
            name='origin',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subscriptions', to='callbacks.origin'),
        ),
        migrations.AlterField(
            model_name='subscription',
            name='resource',
            field=models.CharField(db_index=True, max_length=500, null=True),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='subscription',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='callbacks.subscription'),
        ),
        migrations.CreateModel(
            name='EventCounter',
            fields=[
                ('owner', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='+', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('last', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('position', models.BigIntegerField()),
                ('seq', models.IntegerField()),
                ('uri', models.CharField(max_length=500)),
                ('type', models.CharField(max_length=64)),
                ('body', models.TextField()),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('owner', 'position'), name='event_position'),
                    models.UniqueConstraint(fields=('uri', 'seq'), name='event_sequence'),
                ],
            },
        ),
        migrations.AddField(
            model_name='delivery',
            name='event',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='callbacks.event'),
        ),
        migrations.AddField(
            model_name='delivery',
            name='lane',
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.RunSQL(EVENTS),
        migrations.AlterField(
            model_name='delivery',
            name='event',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='callbacks.event'),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='lane',
            field=models.UUIDField(editable=False),
        ),
        migrations.RemoveField(model_name='delivery', name='body'),
        migrations.RemoveField(model_name='subscription', name='last_seq'),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('lane', 'seq'), name='delivery_sequence'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['subscription'], name='delivery_waiting'),
        ),
    ]
