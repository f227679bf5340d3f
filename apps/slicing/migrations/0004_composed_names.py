from django.db import migrations

from core.text.row_normalization import compose_rows


class Migration(migrations.Migration):

    dependencies = [
        ('slicing', '0003_layer_paths'),
    ]

    operations = [
        compose_rows('slicing'),
    ]
