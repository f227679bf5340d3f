"""Parsers of slicer configs (untrusted input) to engine settings."""
