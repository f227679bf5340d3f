from django.db import migrations, models

# Versions before this one insert orders, too: the database numbers them. Within a bureau, orders
# are created one after another, so that a creation that is rolled back leaves no gap.
NUMBER_NEW_ORDERS = """
CREATE FUNCTION erp_number_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE erp_bureau SET last_order_number = last_order_number + 1
        WHERE uuid = NEW.bureau_id RETURNING last_order_number INTO NEW.number;
    RETURN NEW;
END
$$;
CREATE TRIGGER number_order BEFORE INSERT ON erp_order
    FOR EACH ROW WHEN (NEW.number = 0) EXECUTE FUNCTION erp_number_order()
"""
NUMBER_NO_ORDERS = """
DROP TRIGGER number_order ON erp_order;
DROP FUNCTION erp_number_order()
"""
NUMBER_OLD_ORDERS = """
UPDATE erp_order SET number = aged.number FROM (
    SELECT uuid, row_number() OVER (PARTITION BY bureau_id ORDER BY uuid) AS number FROM erp_order
) AS aged WHERE aged.uuid = erp_order.uuid;
UPDATE erp_bureau SET last_order_number = made.count FROM (
    SELECT bureau_id, count(*) FROM erp_order GROUP BY bureau_id
) AS made WHERE made.bureau_id = erp_bureau.uuid
"""


class Migration(migrations.Migration):

    dependencies = [
        ('erp', '0015_price_list_options'),
    ]

    operations = [
        migrations.AddField(
            model_name='bureau',
            name='last_order_number',
            field=models.PositiveIntegerField(db_default=0, editable=False),
        ),
        migrations.AddField(
            model_name='order',
            name='number',
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.RunSQL(NUMBER_NEW_ORDERS, NUMBER_NO_ORDERS),
        migrations.RunSQL(NUMBER_OLD_ORDERS, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='order',
            constraint=models.UniqueConstraint(
                fields=('bureau', 'number'), name='order_number_once'
            ),
        ),
    ]
