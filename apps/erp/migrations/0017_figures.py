from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

# They wait for the transactions that were there before, and hold nobody up meanwhile.
PATIENT, AS_EVER = "SET lock_timeout = '30min'", "RESET lock_timeout"
# One that an ended migration left half made is not taken for a whole one.
LEFT = [
    f"DROP INDEX CONCURRENTLY IF EXISTS {name}"
    for name in ("attempt_ended", "order_due", "piece_first", "quote_open")
]


class Migration(migrations.Migration):

    # The tables are written while the indexes are made.
    atomic = False

    dependencies = [
        ('erp', '0016_order_numbers'),
    ]

    operations = [
        migrations.RunSQL(PATIENT, AS_EVER),
        *(migrations.RunSQL(sql, migrations.RunSQL.noop) for sql in LEFT),
        AddIndexConcurrently(
            model_name='attempt',
            index=models.Index(fields=['bureau', 'ended'], name='attempt_ended'),
        ),
        AddIndexConcurrently(
            model_name='order',
            index=models.Index(fields=['bureau', 'due_date'], name='order_due'),
        ),
        AddIndexConcurrently(
            model_name='piece',
            index=models.Index(
                condition=models.Q(('number', 1)), fields=['bureau', 'created'], name='piece_first'
            ),
        ),
        AddIndexConcurrently(
            model_name='quote',
            index=models.Index(
                condition=models.Q(('status', 'open')),
                fields=['bureau', 'expires'],
                name='quote_open',
            ),
        ),
        migrations.RunSQL(AS_EVER, PATIENT),
    ]
