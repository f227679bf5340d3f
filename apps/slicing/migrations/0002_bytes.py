from django.db import migrations

# See core's migration 0003.
COUNT = """
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF content_id, deleted
    ON slicing_gcode FOR EACH ROW EXECUTE FUNCTION core_count_bytes();
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF content_id, deleted
    ON slicing_slice FOR EACH ROW EXECUTE FUNCTION core_count_bytes()
"""
NO_COUNT = """
DROP TRIGGER count_bytes ON slicing_gcode;
DROP TRIGGER count_bytes ON slicing_slice
"""


class Migration(migrations.Migration):

    dependencies = [
        ('slicing', '0001_initial'),
        ('core', '0003_usage'),
    ]

    operations = [
        migrations.RunSQL(COUNT, NO_COUNT),
    ]
