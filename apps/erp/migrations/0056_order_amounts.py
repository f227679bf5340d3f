from django.db import migrations, models

# Each statement can be repeated, should the migration end in the middle.
COLUMN = "ALTER TABLE erp_order ADD COLUMN IF NOT EXISTS net numeric(30, 6) NULL"
NO_COLUMN = "ALTER TABLE erp_order DROP COLUMN net"

# Versions before this one write line items and quotes, too: the database sums them up. A sum is
# read after its order is locked, in a statement of its own, which sees what was committed before.
# Orders are locked after line items, as in apps.erp.orders.domain.status_rollup, and only where
# the sum may differ: most updates of line items are of their status or plan.
NET = """
CREATE OR REPLACE FUNCTION erp_line_item_net(status text, price jsonb, estimates jsonb)
RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN status <> 'cancelled'
        THEN coalesce(price ->> 'net', estimates -> 'cost' ->> 'amount')::numeric END
$$;
CREATE OR REPLACE FUNCTION erp_order_net(key uuid) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN abs(net) < 1e24 THEN net END
    FROM (SELECT coalesce(
        (
            SELECT coalesce(net, amount) FROM erp_quote
            WHERE order_id = key AND status <> 'withdrawn' ORDER BY uuid DESC LIMIT 1
        ), (
            SELECT sum(erp_line_item_net(status, price, estimates)) FROM erp_lineitem
            WHERE order_id = key
        )
    ) AS net)
$$;
CREATE OR REPLACE FUNCTION erp_set_order_net(keys uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF keys IS NULL THEN
        RETURN;
    END IF;
    PERFORM 1 FROM erp_order WHERE uuid = ANY (keys) ORDER BY uuid FOR NO KEY UPDATE;
    UPDATE erp_order SET net = sums.net
    FROM (SELECT key, round(erp_order_net(key), 6) AS net FROM unnest(keys) AS key OFFSET 0) sums
    WHERE uuid = key AND erp_order.net IS DISTINCT FROM sums.net;
END $$;
CREATE OR REPLACE FUNCTION erp_net_of_line_items() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE keys uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(DISTINCT order_id) INTO keys FROM new_rows
        WHERE order_id IS NOT NULL AND erp_line_item_net(status, price, estimates) IS NOT NULL;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(DISTINCT order_id) INTO keys FROM old_rows
        WHERE order_id IS NOT NULL AND erp_line_item_net(status, price, estimates) IS NOT NULL;
    ELSE
        SELECT array_agg(DISTINCT key) INTO keys
        FROM old_rows JOIN new_rows USING (uuid),
            unnest(ARRAY[old_rows.order_id, new_rows.order_id]) AS key
        WHERE key IS NOT NULL AND (
            old_rows.order_id,
            erp_line_item_net(old_rows.status, old_rows.price, old_rows.estimates)
        ) IS DISTINCT FROM (
            new_rows.order_id,
            erp_line_item_net(new_rows.status, new_rows.price, new_rows.estimates)
        );
    END IF;
    PERFORM erp_set_order_net(keys);
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION erp_net_of_quotes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE keys uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(DISTINCT order_id) INTO keys FROM new_rows;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(DISTINCT order_id) INTO keys FROM old_rows;
    ELSE
        SELECT array_agg(DISTINCT key) INTO keys
        FROM old_rows JOIN new_rows USING (uuid),
            unnest(ARRAY[old_rows.order_id, new_rows.order_id]) AS key
        WHERE (old_rows.order_id, old_rows.status, old_rows.net, old_rows.amount)
            IS DISTINCT FROM (new_rows.order_id, new_rows.status, new_rows.net, new_rows.amount);
    END IF;
    PERFORM erp_set_order_net(keys);
    RETURN NULL;
END $$;
"""
NO_NET = """
DROP FUNCTION erp_net_of_quotes();
DROP FUNCTION erp_net_of_line_items();
DROP FUNCTION erp_set_order_net(uuid[]);
DROP FUNCTION erp_order_net(uuid);
DROP FUNCTION erp_line_item_net(text, jsonb, jsonb);
"""
TABLES = {"erp_lineitem": "erp_net_of_line_items", "erp_quote": "erp_net_of_quotes"}
# A trigger that reads the changed rows of a statement is for one event.
EVENTS = {
    "INSERT": "NEW TABLE AS new_rows",
    "UPDATE": "OLD TABLE AS old_rows NEW TABLE AS new_rows",
    "DELETE": "OLD TABLE AS old_rows",
}
TRIGGERS = "".join(
    f"CREATE OR REPLACE TRIGGER net_on_{event.lower()} AFTER {event} ON {table} "
    f"REFERENCING {rows} FOR EACH STATEMENT EXECUTE FUNCTION {function}();\n"
    for table, function in TABLES.items()
    for event, rows in EVENTS.items()
)
NO_TRIGGERS = "".join(
    f"DROP TRIGGER net_on_{event.lower()} ON {table};\n" for table in TABLES for event in EVENTS
)
BATCH = 2000  # orders that are locked at once, for about 50 ms


def fill(apps, schema_editor):
    """Set the amounts of the orders that are there, by and by: each batch is a transaction."""
    with schema_editor.connection.cursor() as cursor:
        last = "00000000-0000-0000-0000-000000000000"
        while True:
            cursor.execute(
                "SELECT uuid FROM erp_order WHERE uuid > %s ORDER BY uuid LIMIT %s", [last, BATCH]
            )
            keys = [key for (key,) in cursor.fetchall()]
            if not keys:
                return
            cursor.execute("SELECT erp_set_order_net(%s::uuid[])", [keys])
            last = keys[-1]


class Migration(migrations.Migration):

    # Orders are written while the amounts of the others are set.
    atomic = False

    dependencies = [
        ('erp', '0055_timelapses'),
    ]

    operations = [
        migrations.RunSQL(
            COLUMN,
            NO_COLUMN,
            state_operations=[
                migrations.AddField(
                    model_name='order',
                    name='net',
                    field=models.DecimalField(
                        decimal_places=6, editable=False, max_digits=30, null=True
                    ),
                ),
            ],
        ),
        migrations.RunSQL(NET, NO_NET),
        migrations.RunSQL(TRIGGERS, NO_TRIGGERS),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
