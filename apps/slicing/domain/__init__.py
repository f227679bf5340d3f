"""Engines as they are installed here; what a slice needs; what binds it."""
