from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('erp', '0018_invitations'),
    ]

    operations = [
        migrations.AddField(
            model_name='lineitem',
            name='position',
            field=models.IntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='lineitem',
            name='hold',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
