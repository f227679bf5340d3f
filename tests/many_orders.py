"""Statements that fill a shop with orders, faster than the API does."""

STATUSES = ["complete"] * 17 + ["new", "confirmed", "cancelled"]
MAKE = [
    """INSERT INTO erp_customer (uuid, created, updated, bureau_id, name, email, address, country,
           vat_number, vat_confirmed, notes)
       SELECT uuidv7(), now(), now(), {bureau}, 'Customer ' || substr(md5(n::text), 1, 6), '', '',
           '', '', false, '' FROM generate_series(1, {customers}) n""",
    """INSERT INTO erp_order (uuid, created, updated, bureau_id, name, number, status, currency,
           customer_email, customer_name, customer_po, notes, order_owner, order_type, quote_number,
           region, business_segment, channel_representative, sales_representative, sales_status,
           shipping_address, shipping_name, shipping_tracking, customer_id, creator_id, due_date)
       SELECT uuidv7((n - {orders}) * interval '10 minutes'), now(), now(), {bureau},
           (ARRAY['Bracket', 'Housing', 'Gear', 'Jig', 'Duct'])[1 + n % 5] || ' '
               || substr(md5(n::text), 1, 5),
           b.last_order_number + n, ({statuses})[1 + n % 20], 'EUR', '', '', 'PO-' || n,
           '', '', '', '', '', '', '', '', '', '', '', '',
           c.uuid, {user}, now() + (n % 90 - 60) * interval '1 day'
       FROM generate_series(1, {orders}) n
       JOIN (SELECT uuid, row_number() OVER (ORDER BY uuid) AS place FROM erp_customer
           WHERE bureau_id = {bureau}) c
           ON place = 1 + n % {customers}
       JOIN erp_bureau b ON b.uuid = {bureau}""",
    "UPDATE erp_bureau SET last_order_number = last_order_number + {orders} WHERE uuid = {bureau}",
]


def many_orders(bureau: str, username: str, *, orders: int, customers: int) -> list[str]:
    """Return the statements; customers and orders are called by the hash of their number."""
    values = {
        "bureau": f"'{bureau}'::uuid",
        "user": f"(SELECT uuid FROM users_user WHERE username = '{username}')",
        "statuses": f"ARRAY{STATUSES}",
        "orders": orders,
        "customers": customers,
    }
    return [statement.format(**values) for statement in MAKE]
