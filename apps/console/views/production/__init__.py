"""Production queue, builds, pieces."""
