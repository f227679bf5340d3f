from django.db import migrations

from core.text.row_normalization import compose_rows


class Migration(migrations.Migration):

    dependencies = [
        ('search', '0001_initial'),
    ]

    operations = [
        compose_rows('search'),
    ]
