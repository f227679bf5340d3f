"""Manufacturing (erp): bureaus, inventory, sales, orders, production, printing."""
