from django.db import migrations

# As users_held_before and users_held_after, but no further than to `last`: who has a page of their
# own asks only for what comes among it.
HELD_BETWEEN = """
CREATE OR REPLACE FUNCTION users_held_{side}(
    person uuid, in_namespace text, of_right text, place uuid, most bigint, last uuid)
RETURNS SETOF uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT found.object_uuid FROM unnest(
        ARRAY(SELECT m.group_id FROM users_membership m WHERE m.user_id = person) || person
    ) AS holder(key), LATERAL (
        SELECT p.object_uuid FROM users_permission p
        WHERE p.holder_uuid = holder.key AND p.namespace = in_namespace AND p."right" = of_right
            AND p.object_uuid {beyond} place AND p.object_uuid {within} last
        ORDER BY p.object_uuid {order} LIMIT most) AS found
$$
"""
NOT_HELD_BETWEEN = "DROP FUNCTION users_held_{side}(uuid, text, text, uuid, bigint, uuid)"
BEFORE = {'side': 'before', 'beyond': '<', 'within': '>', 'order': 'DESC'}
AFTER = {'side': 'after', 'beyond': '>', 'within': '<', 'order': 'ASC'}


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0003_converted_uploads'),
    ]

    operations = [
        migrations.RunSQL(HELD_BETWEEN.format(**BEFORE), NOT_HELD_BETWEEN.format(**BEFORE)),
        migrations.RunSQL(HELD_BETWEEN.format(**AFTER), NOT_HELD_BETWEEN.format(**AFTER)),
    ]
