import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0003_usage'),
        ('slicing', '0004_composed_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='gcode',
            name='container',
            field=models.CharField(blank=True, default='', max_length=16, db_default=''),
        ),
        migrations.AddField(
            model_name='gcode',
            name='text',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.blob'),
        ),
    ]
