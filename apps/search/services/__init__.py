"""Service layer: index models, and search for similar ones."""
