import core.keys
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Service',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('name', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('type', models.CharField(max_length=64)),
                ('group_key', models.UUIDField(blank=True, null=True)),
                ('service_url', models.CharField(max_length=2048)),
                ('service_method', models.CharField(choices=[('POST', 'Post'), ('PUT', 'Put')], default='POST', max_length=4)),
                ('schema', models.JSONField(blank=True, default=dict)),
                ('creator', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('updated', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('deleted', None)), fields=('name',), name='one_service_of_a_name')],
            },
        ),
        migrations.CreateModel(
            name='Operation',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('service', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='operations', to='integrations.service')),
                ('model_uri', models.CharField(db_index=True, max_length=500)),
                ('parameters', models.JSONField()),
                ('status', models.CharField(choices=[('processing', 'Processing'), ('complete', 'Complete'), ('error', 'Error')], default='processing', max_length=16)),
                ('attempts', models.JSONField(blank=True, default=list)),
                ('deadline', models.DateTimeField(blank=True, null=True)),
                ('heard', models.DateTimeField(blank=True, null=True)),
                ('reported', models.DateTimeField(blank=True, null=True)),
                ('told', models.DateTimeField(blank=True, null=True)),
                ('tell_at', models.DateTimeField(blank=True, null=True)),
                ('upload', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
                ('outputs', models.JSONField(blank=True, null=True)),
                ('result_uri', models.CharField(blank=True, db_index=True, max_length=500)),
                ('result_name', models.CharField(blank=True, max_length=255)),
                ('result_type', models.CharField(blank=True, max_length=8)),
                ('result_sha256', models.CharField(blank=True, max_length=64)),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'uuid'], name='operation_owner')],
            },
        ),
    ]
