from django.db import migrations

# A bureau's members are those of its group, and who holds a right on it, or on a location, is who
# the users service says; other rights than the contract's mean nothing here.
VIEWS = """
CREATE VIEW erp_membershipbureau AS
    SELECT m.key AS uuid, m.created, m.created AS updated, b.uuid AS bureau_id,
        m.person AS user_id
    FROM users_members() m JOIN erp_bureau b ON b."group" = m.team;
CREATE VIEW erp_permissionbureau AS
    SELECT g.key AS uuid, g.created, g.created AS updated, b.uuid AS bureau_id,
        g.person AS user_id, g.held AS "right"
    FROM users_granted('erp') g JOIN erp_bureau b ON b.uuid = g.object
    WHERE g.held IN ('currency_conversion.all', 'location.all', 'manufacturer.all', 'material.all',
        'post_processor_type.all', 'printer_type.all', 'service_provider.all', 'shipping.all',
        'third_party.all', 'bureau.permission.all', 'customer.all', 'price.all');
CREATE VIEW erp_permissionlocation AS
    SELECT g.key AS uuid, g.created, g.created AS updated, l.bureau_id, l.uuid AS location_id,
        g.person AS user_id, g.held AS "right"
    FROM users_granted('erp') g JOIN erp_location l ON l.uuid = g.object
    WHERE g.held IN ('post_processor.all', 'printer.all', 'stock.all', 'location.permission.all')
"""
NO_VIEWS = "DROP VIEW erp_membershipbureau, erp_permissionbureau, erp_permissionlocation"


class Migration(migrations.Migration):

    dependencies = [
        ('erp', '0001_initial'),
        ('users', '0002_audit_trail_vacuum_and_rights'),
    ]

    operations = [
        migrations.RunSQL(VIEWS, NO_VIEWS),
    ]
