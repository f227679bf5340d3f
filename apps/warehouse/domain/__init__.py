"""Rules on models that need no permission check."""
