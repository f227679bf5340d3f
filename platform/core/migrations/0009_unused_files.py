
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0008_newcomers'),
    ]

    operations = [
        migrations.AddField(
            model_name='blob',
            name='unused',
            field=models.DateTimeField(null=True),
        ),
    ]
