from django.db import migrations

# The account of who did what is only ever added to, whoever asks.
APPEND_ONLY = """
CREATE FUNCTION users_auditevent_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit events are never changed or deleted';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON users_auditevent
    FOR EACH ROW EXECUTE FUNCTION users_auditevent_is_append_only();
"""
REVERSE = """
DROP TRIGGER append_only ON users_auditevent;
DROP FUNCTION users_auditevent_is_append_only();
"""
# What is shared is read from an index alone as long as vacuum has seen the rows: after 2 % of
# change, not 20.
VACUUM = """
ALTER TABLE users_permission SET (autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.02)
"""
NO_VACUUM = """
ALTER TABLE users_permission RESET (autovacuum_vacuum_scale_factor,
    autovacuum_vacuum_insert_scale_factor)
"""
# What other apps ask in their own statements. Their bodies are one SELECT each, so that the planner
# puts them in their place; each starts from the keys under which somebody holds rights.
HELD = """
CREATE FUNCTION users_held(person uuid, in_namespace text, of_right text)
RETURNS SETOF uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT p.object_uuid FROM users_permission p
    WHERE p.namespace = in_namespace AND p."right" = of_right AND p.holder_uuid = ANY (
        ARRAY(SELECT m.group_id FROM users_membership m WHERE m.user_id = person) || person)
$$
"""
NOT_HELD = "DROP FUNCTION users_held(uuid, text, text)"
# At most so many of each of the keys under which somebody holds rights: some may come twice.
HELD_PAGE = """
CREATE FUNCTION users_held_{side}(person uuid, in_namespace text, of_right text, place uuid, most bigint)
RETURNS SETOF uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT found.object_uuid FROM unnest(
        ARRAY(SELECT m.group_id FROM users_membership m WHERE m.user_id = person) || person
    ) AS holder(key), LATERAL (
        SELECT p.object_uuid FROM users_permission p
        WHERE p.holder_uuid = holder.key AND p.namespace = in_namespace AND p."right" = of_right
            AND p.object_uuid {beyond} place
        ORDER BY p.object_uuid {order} LIMIT most) AS found
$$
"""
NO_HELD_PAGE = "DROP FUNCTION users_held_{side}(uuid, text, text, uuid, bigint)"
BEFORE = {'side': 'before', 'beyond': '<', 'order': 'DESC'}
AFTER = {'side': 'after', 'beyond': '>', 'order': 'ASC'}
# What people themselves hold in a namespace, and who is in which group.
GRANTED = """
CREATE FUNCTION users_granted(in_namespace text)
RETURNS TABLE (key uuid, created timestamptz, person uuid, object uuid, held text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT p.uuid, p.created, u.uuid, p.object_uuid, p."right"
    FROM users_permission p JOIN users_user u ON u.uuid = p.holder_uuid
    WHERE p.namespace = in_namespace
$$
"""
NOT_GRANTED = "DROP FUNCTION users_granted(text)"
MEMBERS = """
CREATE FUNCTION users_members() RETURNS TABLE (key uuid, created timestamptz, person uuid, team uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT m.uuid, m.created, m.user_id, m.group_id FROM users_membership m
$$
"""
NO_MEMBERS = "DROP FUNCTION users_members()"


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(APPEND_ONLY, REVERSE),
        migrations.RunSQL(VACUUM, NO_VACUUM),
        migrations.RunSQL(HELD, NOT_HELD),
        migrations.RunSQL(HELD_PAGE.format(**BEFORE), NO_HELD_PAGE.format(**BEFORE)),
        migrations.RunSQL(HELD_PAGE.format(**AFTER), NO_HELD_PAGE.format(**AFTER)),
        migrations.RunSQL(GRANTED, NOT_GRANTED),
        migrations.RunSQL(MEMBERS, NO_MEMBERS),
    ]
