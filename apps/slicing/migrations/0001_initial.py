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
            name='Config',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('engine', models.CharField(choices=[('slic3r', 'slic3r (PrusaSlicer)'), ('cura', 'cura (CuraEngine)')], max_length=16)),
                ('kind', models.CharField(choices=[('curated', 'Curated'), ('raw', 'Raw'), ('preset', 'Preset')], default='curated', max_length=8)),
                ('description', models.CharField(blank=True, max_length=1000)),
                ('parameters', models.JSONField()),
                ('notes', models.JSONField(blank=True, default=list)),
                ('preset', models.JSONField(blank=True, null=True)),
                ('content', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'uuid'], name='config_owner')],
            },
        ),
        migrations.CreateModel(
            name='Constraint',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('name', models.CharField(max_length=255)),
                ('description', models.CharField(blank=True, max_length=1000)),
                ('parameters', models.JSONField()),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'uuid'], name='constraint_owner')],
            },
        ),
        migrations.CreateModel(
            name='Association',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('constraint', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='associations', to='slicing.constraint')),
                ('model_uri', models.CharField(db_index=True, max_length=500)),
                ('model_uuid', models.UUIDField(db_index=True)),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'uuid'], name='association_owner')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('deleted', None)), fields=('constraint', 'model_uuid'), name='one_association')],
            },
        ),
        migrations.CreateModel(
            name='Gcode',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('name', models.CharField(blank=True, max_length=255)),
                ('status', models.CharField(choices=[('not-uploaded', 'Not Uploaded'), ('processing', 'Processing'), ('processed', 'Processed'), ('error', 'Error')], default='not-uploaded', max_length=16)),
                ('errors', models.JSONField(blank=True, null=True)),
                ('content', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
                ('file_size', models.BigIntegerField(blank=True, null=True)),
                ('figures', models.JSONField(blank=True, null=True)),
                ('layers', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'uuid'], name='gcode_owner')],
            },
        ),
        migrations.CreateModel(
            name='Slice',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('model_uri', models.CharField(db_index=True, max_length=500)),
                ('config', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='slices', to='slicing.config')),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('processing', 'Processing'), ('processed', 'Processed'), ('error', 'Error')], default='queued', max_length=16)),
                ('progress', models.FloatField(default=0)),
                ('stage', models.CharField(blank=True, max_length=100)),
                ('errors', models.JSONField(blank=True, null=True)),
                ('warnings', models.JSONField(blank=True, default=list)),
                ('content', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
                ('plate', models.JSONField(blank=True, null=True)),
                ('objects_on_plate', models.JSONField(blank=True, null=True)),
                ('slice_time', models.IntegerField(blank=True, null=True)),
                ('estimates', models.JSONField(blank=True, null=True)),
                ('figures', models.JSONField(blank=True, null=True)),
                ('layers', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
                ('model_sha256', models.CharField(blank=True, max_length=64)),
                ('engine_version', models.CharField(blank=True, max_length=100)),
                ('key', models.CharField(blank=True, db_index=True, max_length=64)),
                ('charged', models.BooleanField(default=False)),
                ('job', models.CharField(blank=True, max_length=36)),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'uuid'], name='slice_owner')],
            },
        ),
    ]
