"""Manufacturing (erp): bureaus, orders, inventory, production, printing."""
