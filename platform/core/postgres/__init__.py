"""PostgreSQL: embedded server, connections, advisory locks, base backups."""
