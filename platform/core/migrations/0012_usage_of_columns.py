"""Trigger function of the bytes of an account: counts the file of the column that it is given."""

from django.db import migrations

# As in migration 0003, for the column that a trigger names, or else `content_id`.
COUNT = """
CREATE OR REPLACE FUNCTION core_count_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    file text;
    gone bigint := 0;
    come bigint := 0;
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.deleted IS NULL THEN
        IF TG_NARGS = 0 THEN file := OLD.content_id;
        ELSE file := to_jsonb(OLD) ->> TG_ARGV[0];
        END IF;
        SELECT size INTO gone FROM core_blob WHERE sha256 = file;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.deleted IS NULL THEN
        IF TG_NARGS = 0 THEN file := NEW.content_id;
        ELSE file := to_jsonb(NEW) ->> TG_ARGV[0];
        END IF;
        SELECT size INTO come FROM core_blob WHERE sha256 = file;
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


class Migration(migrations.Migration):
    dependencies = [("core", "0011_worker_clock")]

    # The function does for triggers without an argument what it did before.
    operations = [migrations.RunSQL(COUNT, migrations.RunSQL.noop)]
