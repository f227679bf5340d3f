from django.db import migrations

from core.text.row_normalization import compose_rows


class Migration(migrations.Migration):

    dependencies = [
        ('integrations', '0002_many_models'),
    ]

    operations = [
        compose_rows('integrations'),
    ]
