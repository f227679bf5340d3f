from typing import Any

import django.contrib.auth.validators
from django.db import migrations, models

import apps.users.names


def fill_looks(apps_then: Any, schema_editor: Any) -> None:
    """Who was there first has the name; accounts that look like theirs stay, and have none."""
    users = apps_then.get_model("users", "User").objects
    taken = set()
    for user in users.order_by("date_joined", "uuid").only("uuid", "username"):
        look = apps.users.names.look(user.username)
        if look not in taken:
            taken.add(look)
            users.filter(pk=user.pk).update(look=look)


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0004_vacuum'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='look',
            field=models.CharField(editable=False, max_length=600, null=True, unique=True),
        ),
        migrations.RunPython(fill_looks, migrations.RunPython.noop),
        migrations.AddField(
            model_name='user',
            name='tos_accepted',
            field=models.DateTimeField(editable=False, null=True, verbose_name='terms of service accepted'),
        ),
        migrations.AlterField(
            model_name='user',
            name='username',
            field=models.CharField(max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator(), apps.users.names.check_scripts]),
        ),
    ]
