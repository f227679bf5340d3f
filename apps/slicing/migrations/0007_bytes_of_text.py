"""The G-code inside a container, which is kept beside it, counts as a file of the account."""

from django.db import migrations

# What is kept already is counted by the nightly recount.
COUNT = """
CREATE TRIGGER count_text_bytes AFTER INSERT OR DELETE OR UPDATE OF text_id, deleted
    ON slicing_gcode FOR EACH ROW EXECUTE FUNCTION core_count_bytes('text_id')
"""
NO_COUNT = "DROP TRIGGER count_text_bytes ON slicing_gcode"


class Migration(migrations.Migration):
    dependencies = [("slicing", "0006_plural_of_layer_paths"), ("core", "0012_usage_of_columns")]

    operations = [migrations.RunSQL(COUNT, NO_COUNT)]
