from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('search', '0001_initial'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='indexedmodel',
            index=models.Index(condition=models.Q(('deleted', None)), fields=['model_uuid'], include=('content_hash', 'status'), name='indexed_model_key'),
        ),
    ]
