"""Sandboxed jobs of the console; no Django."""
