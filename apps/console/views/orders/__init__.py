"""Orders as the shop's people see them."""
