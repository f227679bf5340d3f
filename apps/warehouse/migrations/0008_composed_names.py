from django.db import migrations

from core.text.row_normalization import compose_rows


class Migration(migrations.Migration):

    dependencies = [
        ('warehouse', '0007_pairs_of_letters'),
    ]

    operations = [
        compose_rows('warehouse'),
    ]
