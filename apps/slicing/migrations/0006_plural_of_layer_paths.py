"""The plural of layer paths, which the admin site shows."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("slicing", "0005_gcode_containers")]

    operations = [
        migrations.AlterModelOptions(
            name="layerpaths", options={"verbose_name_plural": "layer paths"}
        ),
    ]
