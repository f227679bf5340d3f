import apps.callbacks.models.secret
import apps.callbacks.models.sink
import core.keys
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SenderClock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ticks', models.BigIntegerField(default=0)),
            ],
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
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('position', models.BigIntegerField()),
                ('seq', models.IntegerField()),
                ('uri', models.CharField(max_length=500)),
                ('type', models.CharField(max_length=64)),
                ('body', models.TextField()),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('owner', 'position'), name='event_position'), models.UniqueConstraint(fields=('uri', 'seq'), name='event_sequence')],
            },
        ),
        migrations.CreateModel(
            name='Origin',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('origin', models.CharField(max_length=300, unique=True)),
                ('unreachable_since', models.DateTimeField(null=True)),
                ('probe_at', models.DateTimeField(null=True)),
                ('slow', models.IntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Subscription',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('resource', models.CharField(db_index=True, max_length=500, null=True)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), default=list, size=None)),
                ('url', models.CharField(max_length=2048)),
                ('method', models.CharField(choices=[('GET', 'Get'), ('POST', 'Post'), ('PUT', 'Put')], default='POST', max_length=4)),
                ('origin', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subscriptions', to='callbacks.origin')),
                ('enabled', models.BooleanField(default=True)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('deleted', None), ('resource', None)), fields=['owner'], name='subscription_of_account')],
                'constraints': [models.CheckConstraint(condition=models.Q(('resource', None), ('events', []), _connector='XOR'), name='subscription_of_resource_or_account')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('subscription', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='callbacks.subscription')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='callbacks.event')),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('origin', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='callbacks.origin')),
                ('lane', models.UUIDField(editable=False)),
                ('seq', models.IntegerField()),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('delivered', 'Delivered'), ('expired', 'Expired'), ('cancelled', 'Cancelled')], default='pending', max_length=9)),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('next_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('since_tick', models.BigIntegerField(default=0)),
                ('tries', models.IntegerField(default=0)),
                ('reached', models.IntegerField(default=0)),
                ('first_at', models.DateTimeField(null=True)),
                ('last_at', models.DateTimeField(null=True)),
                ('last_outcome', models.CharField(blank=True, max_length=16)),
                ('last_error', models.CharField(blank=True, max_length=300)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('replayed_at', models.DateTimeField(null=True)),
                ('replayed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['origin', 'next_at'], name='delivery_due'), models.Index(condition=models.Q(('state', 'pending')), fields=['since'], name='delivery_age'), models.Index(condition=models.Q(('state', 'pending')), fields=['owner', 'subscription'], name='delivery_waiting')],
                'constraints': [models.UniqueConstraint(fields=('lane', 'seq'), name='delivery_sequence')],
            },
        ),
        migrations.CreateModel(
            name='Outcome',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('delivery', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='outcomes', to='callbacks.delivery')),
                ('outcome', models.CharField(max_length=16)),
                ('count', models.IntegerField(default=1)),
                ('first_at', models.DateTimeField()),
                ('last_at', models.DateTimeField()),
                ('ms', models.IntegerField()),
                ('response_head', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('delivery', 'outcome'), name='outcome_kind')],
            },
        ),
        migrations.CreateModel(
            name='WebhookSecret',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('salt', models.BinaryField(default=apps.callbacks.models.secret.new_salt, max_length=64)),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('expires', None)), fields=('owner',), name='one_current_secret')],
            },
        ),
        migrations.CreateModel(
            name='Sink',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('token', models.CharField(default=apps.callbacks.models.sink.new_token, editable=False, max_length=64, unique=True)),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires', models.DateTimeField(default=apps.callbacks.models.sink.end_of_sink)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SunkRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sink', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests', to='callbacks.sink')),
                ('method', models.CharField(max_length=16)),
                ('query', models.TextField(blank=True)),
                ('headers', models.JSONField()),
                ('body', models.BinaryField()),
                ('size', models.IntegerField()),
                ('received', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
    ]
