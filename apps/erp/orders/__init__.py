"""Orders: orders, line items, quotes, estimates."""
