"""Sinks; deliveries know whose they are, so that what waits is counted by account."""

import apps.callbacks.models.sink
import core.keys
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

OWNERS = """
UPDATE callbacks_delivery d SET owner_id = s.owner_id
FROM callbacks_subscription s WHERE s.uuid = d.subscription_id;
SET CONSTRAINTS ALL IMMEDIATE; -- what follows alters this table
"""


class Migration(migrations.Migration):

    dependencies = [
        ('callbacks', '0003_subscriptions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Sink',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('token', models.CharField(default=apps.callbacks.models.sink.new_token, editable=False, max_length=64, unique=True)),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires', models.DateTimeField(default=apps.callbacks.models.sink.end_of_sink)),
            ],
        ),
        migrations.CreateModel(
            name='SunkRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('method', models.CharField(max_length=16)),
                ('query', models.TextField(blank=True)),
                ('headers', models.JSONField()),
                ('body', models.BinaryField()),
                ('size', models.IntegerField()),
                ('received', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.RemoveIndex(
            model_name='delivery',
            name='delivery_waiting',
        ),
        migrations.AddField(
            model_name='delivery',
            name='owner',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunSQL(OWNERS),
        migrations.AlterField(
            model_name='delivery',
            name='owner',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['owner', 'subscription'], name='delivery_waiting'),
        ),
        migrations.AddField(
            model_name='sink',
            name='owner',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='sunkrequest',
            name='sink',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests', to='callbacks.sink'),
        ),
    ]
