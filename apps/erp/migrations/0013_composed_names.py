from django.db import migrations

from core.text.row_normalization import compose_rows


class Migration(migrations.Migration):

    dependencies = [
        ('erp', '0012_spoolman'),
    ]

    operations = [
        compose_rows('erp'),
    ]
