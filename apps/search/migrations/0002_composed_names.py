from django.db import migrations

from core.composed_rows import compose_rows


class Migration(migrations.Migration):

    dependencies = [
        ('search', '0001_initial'),
    ]

    operations = [
        compose_rows('search'),
    ]
