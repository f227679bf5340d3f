from django.db import migrations

from core.composed_rows import compose_rows


class Migration(migrations.Migration):

    dependencies = [
        ('erp', '0012_spoolman'),
    ]

    operations = [
        compose_rows('erp'),
    ]
