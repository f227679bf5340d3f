from django.db import migrations

# The pairs of letters that a word has: what is sought by two letters has no piece of three. Of a
# pair that no name has the planner expects so many that it would start workers, which takes ten
# times as long as to find that there is none: so it may not.
PAIRS = """
CREATE OR REPLACE FUNCTION warehouse_pairs(word text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL RESTRICTED COST 1000
RETURN ARRAY(SELECT substr(word, at, 2) FROM generate_series(1, length(word) - 1) AS at)
"""
NO_PAIRS = "DROP FUNCTION warehouse_pairs(text)"
# One that an ended migration left half made is not taken for a whole one.
LEFT = "DROP INDEX CONCURRENTLY IF EXISTS model_pairs"
NAMES = """
CREATE INDEX CONCURRENTLY model_pairs ON warehouse_model USING gin (warehouse_pairs(lower(name)))
    WITH (fastupdate = off) WHERE deleted IS NULL
"""
# It waits for the transactions that were there before, and holds nobody up meanwhile.
PATIENT, AS_EVER = "SET lock_timeout = '30min'", "RESET lock_timeout"
# An index on an expression has no statistics before, and is not chosen.
ANALYZE = "ANALYZE warehouse_model"


class Migration(migrations.Migration):

    # Names are written while it is made.
    atomic = False

    dependencies = [
        ('warehouse', '0006_mesh_formats'),
    ]

    operations = [
        migrations.RunSQL(PAIRS, NO_PAIRS),
        migrations.RunSQL(PATIENT, AS_EVER),
        migrations.RunSQL(LEFT, migrations.RunSQL.noop),
        migrations.RunSQL(NAMES, LEFT),
        migrations.RunSQL(AS_EVER, PATIENT),
        migrations.RunSQL(ANALYZE, migrations.RunSQL.noop),
    ]
