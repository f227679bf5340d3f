"""Sandboxed jobs of the organisation; no Django."""
