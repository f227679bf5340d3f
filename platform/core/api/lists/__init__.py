"""Lists: filters, search, counts, pages and CSV."""
