from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('erp', '0045_gcode_runs'),
    ]

    operations = [
        migrations.AlterField(
            model_name='printer',
            name='driver',
            field=models.CharField(blank=True, choices=[('manual', 'Manual'), ('octoprint', 'Octoprint'), ('moonraker', 'Moonraker'), ('prusalink', 'Prusalink'), ('bambu', 'Bambu'), ('elegoo', 'Elegoo')], max_length=16, null=True),
        ),
    ]
