"""Dashboard and what it leads to."""
