from django.db import migrations

# The bytes that an account keeps: of its rows that are not deleted, each row's file for itself. A
# trigger `count_bytes` on a table with `owner_id`, `content_id` and `deleted` keeps the sum.
USAGE = """
CREATE FUNCTION core_count_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    gone bigint := 0;
    come bigint := 0;
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.content_id IS NOT NULL AND OLD.deleted IS NULL THEN
        SELECT size INTO gone FROM core_blob WHERE sha256 = OLD.content_id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.content_id IS NOT NULL AND NEW.deleted IS NULL THEN
        SELECT size INTO come FROM core_blob WHERE sha256 = NEW.content_id;
    END IF;
    IF coalesce(come, 0) <> coalesce(gone, 0) THEN
        INSERT INTO core_usage AS u (account, bytes)
        VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.owner_id ELSE NEW.owner_id END,
            coalesce(come, 0) - coalesce(gone, 0))
        ON CONFLICT (account) DO UPDATE SET bytes = u.bytes + EXCLUDED.bytes;
    END IF;
    RETURN NULL;
END $$
"""
NO_USAGE = "DROP FUNCTION core_count_bytes()"


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0002_turns'),
    ]

    operations = [
        migrations.RunSQL(USAGE, NO_USAGE),
    ]
