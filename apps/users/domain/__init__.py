"""Authentication backends and permission rules."""
