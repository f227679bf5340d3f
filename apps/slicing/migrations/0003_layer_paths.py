import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0004_pace'),
        ('slicing', '0002_bytes'),
    ]

    operations = [
        migrations.CreateModel(
            name='LayerPaths',
            fields=[
                ('created', models.DateTimeField(auto_now_add=True)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('processing', 'Processing'), ('processed', 'Processed'), ('error', 'Error')], default='processing', max_length=16)),
                ('errors', models.JSONField(blank=True, null=True)),
                ('content', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob')),
                ('layers', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.blob')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.blob')),
            ],
            options={
                'abstract': False,
            },
        ),
    ]
