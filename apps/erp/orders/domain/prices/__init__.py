"""Cost and price of line items, quotes and orders."""
