"""Payment provider registry."""
