"""Django's backend for PostgreSQL, but for how it looks whether a connection still stands."""
