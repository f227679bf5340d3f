"""Presentation logic without HTTP and HTML."""
