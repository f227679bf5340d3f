"""Formats of what people read."""
