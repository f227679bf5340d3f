import core.keys
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Limit',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('holder', models.UUIDField(blank=True, help_text='Key of a user, or of a group; empty: everybody.', null=True)),
                ('limit', models.CharField(max_length=64)),
                ('most', models.BigIntegerField(blank=True, help_text='Empty: no limit.', null=True, validators=[django.core.validators.MinValueValidator(0)])),
                ('note', models.CharField(blank=True, max_length=200)),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('holder', 'limit'), name='limit_of_holder', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='Usage',
            fields=[
                ('account', models.UUIDField(primary_key=True, serialize=False)),
                ('bytes', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Blob',
            fields=[
                ('sha256', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('size', models.BigIntegerField()),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='IdempotentAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('key', models.CharField(max_length=255)),
                ('fingerprint', models.BinaryField(max_length=32)),
                ('status', models.SmallIntegerField(null=True)),
                ('headers', models.JSONField(null=True)),
                ('body', models.BinaryField(null=True)),
                ('created', models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='idempotency_key')],
            },
        ),
        migrations.CreateModel(
            name='Counter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('window', models.BigIntegerField()),
                ('count', models.IntegerField(default=0)),
                ('updated', models.DateTimeField(auto_now=True, db_index=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('key', 'window'), name='counter_window')],
            },
        ),
        migrations.CreateModel(
            name='JobStart',
            fields=[
                ('message', models.UUIDField(default=core.keys.uuid7, primary_key=True, serialize=False)),
                ('starts', models.SmallIntegerField(default=0)),
                ('last', models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name='Canary',
            fields=[
                ('queue', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('sent', models.DateTimeField()),
                ('ended', models.DateTimeField(null=True)),
                ('worker', models.UUIDField(null=True)),
            ],
        ),
    ]
