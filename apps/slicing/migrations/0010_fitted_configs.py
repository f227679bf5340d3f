from django.db import migrations, models

FITTED = """
    UPDATE slicing_config SET fitted = true
    WHERE description LIKE '%: fitted to a printer type and its options'
"""


class Migration(migrations.Migration):
    dependencies = [("slicing", "0009_gcode_metadata")]

    operations = [
        migrations.AddField(
            model_name="config",
            name="fitted",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.RunSQL(FITTED, migrations.RunSQL.noop),
    ]
