from django.db import migrations

from core.text.row_normalization import compose_rows


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0004_held_between'),
    ]

    operations = [
        compose_rows('users'),
    ]
