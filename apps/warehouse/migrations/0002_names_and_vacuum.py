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


class Migration(migrations.Migration):

    dependencies = [
        ('warehouse', '0001_initial'),
        ('core', '0003_usage'),
    ]

    operations = [
        migrations.RunSQL(PIECES, NO_PIECES),
        migrations.RunSQL(NAMES, NO_NAMES),
        migrations.RunSQL(VACUUM, NO_VACUUM),
        migrations.RunSQL(COUNT, NO_COUNT),
        migrations.RunSQL(ANALYZE, migrations.RunSQL.noop),
    ]
