from django.db import migrations

# Statements of other apps ask it: its query becomes part of theirs.
GIVEN = """
CREATE FUNCTION callbacks_given(of_resource text, by_person uuid)
RETURNS SETOF jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT jsonb_build_object('url', s.url, 'method', s.method) FROM callbacks_subscription s
    WHERE s.resource = of_resource AND s.owner_id = by_person AND s.deleted IS NULL
    ORDER BY s.uuid DESC LIMIT 1
$$
"""
NOT_GIVEN = "DROP FUNCTION callbacks_given(text, uuid)"


class Migration(migrations.Migration):
    dependencies = [("callbacks", "0002_bureaus")]

    operations = [migrations.RunSQL(GIVEN, NOT_GIVEN)]
