import core.keys
import django.db.models.deletion
import django.db.models.fields.json
import django.db.models.functions.comparison
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
            name='Model',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('name', models.CharField(max_length=255)),
                ('type', models.CharField(choices=[('stl', 'Stl'), ('obj', 'Obj'), ('ply', 'Ply'), ('off', 'Off'), ('gltf', 'Gltf'), ('glb', 'Glb'), ('3mf', '3mf'), ('step', 'Step'), ('iges', 'Iges'), ('zip', 'Zip'), ('pdf', 'Pdf')], default='stl', max_length=8)),
                ('status', models.CharField(choices=[('processing', 'Processing'), ('processed', 'Processed'), ('error', 'Error'), ('inoperable', 'Inoperable')], default='processing', max_length=16)),
                ('errors', models.JSONField(blank=True, null=True)),
                ('may_resize', models.BooleanField(default=False, verbose_name='other services may resize it')),
                ('may_rotate', models.BooleanField(default=False, verbose_name='other services may rotate it')),
                ('unit', models.CharField(blank=True, max_length=16)),
                ('content', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
                ('canonical', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
                ('file_size', models.BigIntegerField(blank=True, null=True)),
                ('analyses', models.JSONField(blank=True, null=True)),
                ('manifold', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Cast(django.db.models.fields.json.KeyTextTransform('manifold', 'analyses'), models.BooleanField(null=True)), output_field=models.BooleanField(null=True))),
                ('size_x', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Cast(django.db.models.fields.json.KeyTextTransform('0', django.db.models.fields.json.KeyTextTransform('size', 'analyses')), models.FloatField(null=True)), output_field=models.FloatField(null=True))),
                ('size_y', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Cast(django.db.models.fields.json.KeyTextTransform('1', django.db.models.fields.json.KeyTextTransform('size', 'analyses')), models.FloatField(null=True)), output_field=models.FloatField(null=True))),
                ('size_z', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Cast(django.db.models.fields.json.KeyTextTransform('2', django.db.models.fields.json.KeyTextTransform('size', 'analyses')), models.FloatField(null=True)), output_field=models.FloatField(null=True))),
                ('volume', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Cast(django.db.models.fields.json.KeyTextTransform('volume', 'analyses'), models.FloatField(null=True)), output_field=models.FloatField(null=True))),
                ('printability', models.JSONField(blank=True, null=True)),
                ('picture', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
                ('transformations', models.JSONField(blank=True, null=True)),
                ('parents', models.ManyToManyField(blank=True, related_name='children', to='warehouse.model')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('deleted', None)), fields=['owner', 'uuid'], name='model_owner'), models.Index(condition=models.Q(('deleted', None)), fields=['owner', 'status', 'uuid'], name='model_owner_status'), models.Index(condition=models.Q(('deleted', None)), fields=['owner', 'name', 'uuid'], name='model_owner_name'), models.Index(condition=models.Q(('deleted', None)), fields=['owner', 'updated', 'uuid'], name='model_owner_updated'), models.Index(condition=models.Q(('deleted', None)), fields=['status', 'uuid'], name='model_status'), models.Index(condition=models.Q(('deleted', None)), fields=['name', 'uuid'], name='model_name'), models.Index(condition=models.Q(('deleted', None)), fields=['updated', 'uuid'], name='model_updated'), models.Index(condition=models.Q(('deleted', None)), fields=['uuid'], include=('owner', 'name', 'status', 'updated'), name='model_readable'), models.Index(condition=models.Q(('deleted__isnull', False)), fields=['deleted'], name='model_deleted')],
            },
        ),
        migrations.CreateModel(
            name='Rendition',
            fields=[
                ('created', models.DateTimeField(auto_now_add=True)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('preview', 'Preview'), ('thumbnail', 'Thumbnail')], max_length=16)),
                ('status', models.CharField(choices=[('processing', 'Processing'), ('processed', 'Processed'), ('error', 'Error')], default='processing', max_length=16)),
                ('errors', models.JSONField(blank=True, null=True)),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.blob')),
                ('closed', models.BooleanField()),
                ('content', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='warehouse.model')),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('is_default', models.BooleanField(default=False)),
                ('status', models.CharField(choices=[('processing', 'Processing'), ('processed', 'Processed'), ('error', 'Error')], default='processing', max_length=16)),
                ('errors', models.JSONField(blank=True, null=True)),
                ('progress', models.FloatField(default=0)),
                ('view', models.JSONField()),
                ('camera', models.JSONField(blank=True, null=True)),
                ('key', models.CharField(blank=True, db_index=True, max_length=64)),
                ('content', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('model',), name='one_default_snapshot')],
            },
        ),
    ]
