from django.db import migrations, models

# Those that are there were made when there was one size.
SIZE = "UPDATE warehouse_rendition SET triangles = 50000 WHERE kind = 'preview'"


class Migration(migrations.Migration):

    dependencies = [
        ('warehouse', '0002_names_and_vacuum'),
    ]

    operations = [
        migrations.AddField(
            model_name='rendition',
            name='triangles',
            field=models.IntegerField(blank=True, null=True),
        ),
        migrations.RunSQL(SIZE, migrations.RunSQL.noop),
    ]
