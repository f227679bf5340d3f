"""Payment: priced actions, consents, charges, invoices."""
