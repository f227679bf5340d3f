"""Sales: price lists, price tables, cost estimates, customers."""
