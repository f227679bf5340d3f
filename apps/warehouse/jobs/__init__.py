"""Sandboxed jobs; no Django."""
