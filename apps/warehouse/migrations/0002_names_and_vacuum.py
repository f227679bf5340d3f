from django.db import migrations

# The pieces of three letters that a word has. Its cost keeps the planner from asking it of each row.
PIECES = """
CREATE FUNCTION warehouse_pieces(word text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 1000
RETURN ARRAY(SELECT substr(word, at, 3) FROM generate_series(1, length(word) - 2) AS at)
"""
NO_PIECES = "DROP FUNCTION warehouse_pieces(text)"
# Names that have a part, and names that begin with one. Without fastupdate each insert pays for
# itself, a tenth of a millisecond, and none waits for those before it.
NAMES = """
CREATE INDEX model_pieces ON warehouse_model USING gin (warehouse_pieces(lower(name)))
    WITH (fastupdate = off) WHERE deleted IS NULL;
CREATE INDEX model_owner_prefix ON warehouse_model (owner_id, lower(name) text_pattern_ops, uuid)
    WHERE deleted IS NULL
"""
NO_NAMES = "DROP INDEX model_pieces; DROP INDEX model_owner_prefix"
# A list is read from indexes alone as long as vacuum has seen the rows: after 2 % of change, not 20.
VACUUM = """
ALTER TABLE warehouse_model SET (autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.02)
"""
NO_VACUUM = """
ALTER TABLE warehouse_model RESET (autovacuum_vacuum_scale_factor,
    autovacuum_vacuum_insert_scale_factor)
"""
# See core's migration 0003.
COUNT = """
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF content_id, deleted
    ON warehouse_model FOR EACH ROW EXECUTE FUNCTION core_count_bytes()
"""
NO_COUNT = "DROP TRIGGER count_bytes ON warehouse_model"
# An index on an expression has no statistics before, and is not chosen.
ANALYZE = "ANALYZE warehouse_model"
# What other apps ask in their own statements; each body is put in its place by the planner.
# Every model, and the hash of its canonical STL.
KEPT = """
CREATE FUNCTION warehouse_kept() RETURNS TABLE (key uuid, sha256 varchar)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT m.uuid, m.canonical_id FROM warehouse_model m WHERE m.deleted IS NULL
$$
"""
NO_KEPT = "DROP FUNCTION warehouse_kept()"
# Those of them that somebody may read who does not read everything. For questions about few models:
# asked for all, it reads those of everybody.
READABLE = """
CREATE FUNCTION warehouse_readable(person uuid) RETURNS TABLE (key uuid, sha256 varchar)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT m.uuid, m.canonical_id FROM warehouse_model m
    WHERE m.deleted IS NULL AND (
        m.owner_id = person OR m.uuid IN (SELECT * FROM users_held(person, 'models', 'read')))
$$
"""
NOT_READABLE = "DROP FUNCTION warehouse_readable(uuid)"
# The same for all of them, by indexes. One's own that is shared comes twice.
READABLE_LIST = """
CREATE FUNCTION warehouse_readable_list(person uuid) RETURNS TABLE (key uuid, sha256 varchar)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT m.uuid, m.canonical_id FROM warehouse_model m
    WHERE m.deleted IS NULL AND m.owner_id = person
    UNION ALL
    SELECT m.uuid, m.canonical_id FROM warehouse_model m
    WHERE m.deleted IS NULL AND m.uuid IN (SELECT * FROM users_held(person, 'models', 'read'))
$$
"""
NO_READABLE_LIST = "DROP FUNCTION warehouse_readable_list(uuid)"


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0002_audit_trail_vacuum_and_rights'),
        ('warehouse', '0001_initial'),
        ('core', '0003_usage'),
    ]

    operations = [
        migrations.RunSQL(PIECES, NO_PIECES),
        migrations.RunSQL(NAMES, NO_NAMES),
        migrations.RunSQL(VACUUM, NO_VACUUM),
        migrations.RunSQL(COUNT, NO_COUNT),
        migrations.RunSQL(ANALYZE, migrations.RunSQL.noop),
        migrations.RunSQL(KEPT, NO_KEPT),
        migrations.RunSQL(READABLE, NOT_READABLE),
        migrations.RunSQL(READABLE_LIST, NO_READABLE_LIST),
    ]
