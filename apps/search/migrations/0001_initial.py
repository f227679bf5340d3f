import core.keys
import django.db.models.deletion
import pgvector.django.halfvec
import pgvector.django.indexes
from django.conf import settings
from django.db import migrations, models
from pgvector.django import VectorExtension


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        VectorExtension(),
        migrations.CreateModel(
            name='Descriptor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content_hash', models.CharField(max_length=64)),
                ('version', models.SmallIntegerField()),
                ('vector', pgvector.django.halfvec.HalfVectorField(dimensions=324)),
                ('radius_major', models.FloatField()),
                ('radius_middle', models.FloatField()),
                ('radius_minor', models.FloatField()),
                ('area_ratio', models.FloatField()),
                ('volume_ratio', models.FloatField(blank=True, null=True)),
                ('rms', models.FloatField(verbose_name='root mean square radius, mm')),
                ('diagonal', models.FloatField(verbose_name='diagonal of the box, mm')),
                ('triangles', models.IntegerField()),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'indexes': [pgvector.django.indexes.HnswIndex(ef_construction=100, fields=['vector'], m=16, name='descriptor_vector', opclasses=['halfvec_l1_ops']), models.Index(fields=['version', 'radius_major', 'radius_middle'], name='descriptor_radii')],
                'constraints': [models.UniqueConstraint(fields=('content_hash', 'version'), name='descriptor_content')],
            },
        ),
        migrations.CreateModel(
            name='IndexedModel',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('name', models.CharField(blank=True, max_length=255)),
                ('description', models.CharField(blank=True, max_length=1000)),
                ('model_uri', models.CharField(max_length=2048)),
                ('model_uuid', models.UUIDField(blank=True, null=True)),
                ('status', models.CharField(choices=[('new', 'New'), ('queued', 'Queued'), ('indexing', 'Indexing'), ('complete', 'Complete'), ('error', 'Error')], default='new', max_length=16)),
                ('error', models.CharField(blank=True, max_length=1000)),
                ('content_hash', models.CharField(blank=True, db_index=True, max_length=64)),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'uuid'], name='indexed_model_owner'), models.Index(condition=models.Q(('deleted', None)), fields=['model_uuid'], include=('content_hash', 'status'), name='indexed_model_key')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('deleted', None)), fields=('owner', 'model_uri'), name='indexed_once')],
            },
        ),
        migrations.CreateModel(
            name='PairCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first_hash', models.CharField(max_length=64)),
                ('second_hash', models.CharField(max_length=64)),
                ('version', models.SmallIntegerField()),
                ('comparison', models.JSONField(blank=True, null=True)),
                ('error', models.CharField(blank=True, max_length=1000)),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'indexes': [models.Index(fields=['second_hash', 'version'], name='pair_check_second')],
                'constraints': [models.UniqueConstraint(fields=('first_hash', 'second_hash', 'version'), name='compared_once'), models.CheckConstraint(condition=models.Q(('first_hash__lt', models.F('second_hash'))), name='compared_in_order')],
            },
        ),
        # 656 bytes: too few to be worth a fetch from another table, which TOAST would make of it.
        migrations.RunSQL(
            "ALTER TABLE search_descriptor ALTER COLUMN vector SET STORAGE PLAIN",
            migrations.RunSQL.noop,
        ),
    ]
