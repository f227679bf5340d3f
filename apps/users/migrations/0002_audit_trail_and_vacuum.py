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


class Migration(migrations.Migration):

    dependencies = [
        ('users', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(APPEND_ONLY, REVERSE),
        migrations.RunSQL(VACUUM, NO_VACUUM),
    ]
