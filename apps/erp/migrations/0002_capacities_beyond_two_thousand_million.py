from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("erp", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="capacity",
            name="at_least",
            field=models.PositiveBigIntegerField(),
        ),
        migrations.AlterField(
            model_name="capacity",
            name="at_most",
            field=models.PositiveBigIntegerField(),
        ),
    ]
