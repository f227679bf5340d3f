from django.db import migrations

from core.composed_rows import compose_rows


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0004_held_between'),
    ]

    operations = [
        compose_rows('users'),
    ]
