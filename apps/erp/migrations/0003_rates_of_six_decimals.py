from django.db import migrations

# The first migration makes these columns by the class of today, so that only older tables differ.
RATES = (
    ('material', 'cost'),
    ('printertype', 'running_cost_per_hour'),
    ('printertype', 'constant_overhead'),
    ('postprocessortype', 'cost'),
    ('shipping', 'cost'),
    ('quote', 'amount'),
)


class Migration(migrations.Migration):

    dependencies = [
        ('erp', '0002_known_fields_and_rates'),
    ]

    operations = [
        migrations.RunSQL(
            f'ALTER TABLE erp_{table} ALTER COLUMN {column} TYPE numeric(18, 6)',
            migrations.RunSQL.noop,
        )
        for table, column in RATES
    ]
