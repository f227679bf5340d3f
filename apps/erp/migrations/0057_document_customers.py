import apps.erp.base.model_fields
import django.db.models.deletion
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

# Each statement can be repeated, should the migration end in the middle.
COLUMN = "ALTER TABLE erp_document ADD COLUMN IF NOT EXISTS customer_id uuid NULL"
NO_COLUMN = "ALTER TABLE erp_document DROP COLUMN customer_id"

# Versions before this one issue documents, too: the database names the customer. Documents are
# inserted while their order is locked, so that no change of its customer comes between.
CUSTOMER = """
CREATE OR REPLACE FUNCTION erp_customer_of_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT customer_id INTO NEW.customer_id FROM erp_order WHERE uuid = NEW.order_id;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER customer BEFORE INSERT ON erp_document
    FOR EACH ROW EXECUTE FUNCTION erp_customer_of_document();
CREATE OR REPLACE FUNCTION erp_customer_of_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE erp_document SET customer_id = NEW.customer_id
    WHERE order_id = NEW.uuid AND customer_id IS DISTINCT FROM NEW.customer_id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER customer_of_documents AFTER UPDATE OF customer_id ON erp_order
    FOR EACH ROW WHEN (OLD.customer_id IS DISTINCT FROM NEW.customer_id)
    EXECUTE FUNCTION erp_customer_of_documents();
"""
NO_CUSTOMER = """
DROP TRIGGER customer_of_documents ON erp_order;
DROP FUNCTION erp_customer_of_documents();
DROP TRIGGER customer ON erp_document;
DROP FUNCTION erp_customer_of_document();
"""
BATCH = 5000  # orders whose documents are updated at once
PATIENT, AS_EVER = "SET lock_timeout = '30min'", "RESET lock_timeout"
LEFT = "DROP INDEX CONCURRENTLY IF EXISTS document_revenue"
FILL = """
UPDATE erp_document SET customer_id = erp_order.customer_id FROM erp_order
WHERE erp_order.uuid = order_id AND order_id = ANY (%s::uuid[])
    AND erp_document.customer_id IS DISTINCT FROM erp_order.customer_id
"""


def fill(apps, schema_editor):
    """Set the customers of the documents that are there; each batch is a transaction."""
    with schema_editor.connection.cursor() as cursor:
        last = "00000000-0000-0000-0000-000000000000"
        while True:
            cursor.execute(
                "SELECT uuid FROM erp_order WHERE uuid > %s ORDER BY uuid LIMIT %s", [last, BATCH]
            )
            keys = [key for (key,) in cursor.fetchall()]
            if not keys:
                return
            cursor.execute(FILL, [keys])
            last = keys[-1]


class Migration(migrations.Migration):

    # Documents are issued while the customers of the others are set.
    atomic = False

    dependencies = [
        ('erp', '0056_order_amounts'),
    ]

    operations = [
        migrations.RunSQL(
            COLUMN,
            NO_COLUMN,
            state_operations=[
                migrations.AddField(
                    model_name='document',
                    name='customer',
                    field=apps.erp.base.model_fields.BureauForeignKey(
                        db_constraint=False, db_index=False, editable=False, null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING, related_name='+',
                        to='erp.customer',
                    ),
                ),
            ],
        ),
        migrations.RunSQL(CUSTOMER, NO_CUSTOMER),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunSQL(PATIENT, AS_EVER),
        migrations.RunSQL(LEFT, migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='document',
            index=models.Index(
                condition=models.Q(('type__in', ('invoice', 'credit-note'))),
                fields=['customer', 'issued_on'], include=('type', 'net'), name='document_revenue',
            ),
        ),
        migrations.RunSQL(AS_EVER, PATIENT),
    ]
