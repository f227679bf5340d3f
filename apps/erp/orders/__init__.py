"""Orders: orders, line items, quotes, estimates, customers and prices."""
