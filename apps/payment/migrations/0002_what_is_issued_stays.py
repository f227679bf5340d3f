from django.db import migrations

# Issued invoices and recorded charges never change, whoever asks.
RULES = """
CREATE FUNCTION payment_invoice_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'invoices are never deleted';
    END IF;
    IF OLD.issued IS NOT NULL AND
        (OLD.owner_id, OLD.month, OLD.currency, OLD.issued, OLD.due, OLD.created) IS DISTINCT FROM
        (NEW.owner_id, NEW.month, NEW.currency, NEW.issued, NEW.due, NEW.created) THEN
        RAISE EXCEPTION 'an issued invoice changes nothing but its status and its payment';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER stays BEFORE UPDATE OR DELETE ON payment_invoice
    FOR EACH ROW EXECUTE FUNCTION payment_invoice_stays();

CREATE FUNCTION payment_charge_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'charges are never deleted';
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.status <> 'authorised' THEN
        RAISE EXCEPTION 'a charge that is recorded or released never changes';
    END IF;
    IF NEW.invoice_id IS NOT NULL AND EXISTS (
        SELECT FROM payment_invoice WHERE uuid = NEW.invoice_id AND issued IS NOT NULL) THEN
        RAISE EXCEPTION 'an issued invoice takes no more charges';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER stays BEFORE INSERT OR UPDATE OR DELETE ON payment_charge
    FOR EACH ROW EXECUTE FUNCTION payment_charge_stays();

CREATE FUNCTION payment_invoiceevent_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what was done to an invoice is never changed or deleted';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON payment_invoiceevent
    FOR EACH ROW EXECUTE FUNCTION payment_invoiceevent_is_append_only();
"""
NO_RULES = """
DROP TRIGGER stays ON payment_invoice;
DROP FUNCTION payment_invoice_stays();
DROP TRIGGER stays ON payment_charge;
DROP FUNCTION payment_charge_stays();
DROP TRIGGER append_only ON payment_invoiceevent;
DROP FUNCTION payment_invoiceevent_is_append_only();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('payment', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(RULES, NO_RULES),
    ]
