"""Django database backend: PostgreSQL with a cheap liveness check of idle connections."""
