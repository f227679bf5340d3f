"""Sandboxed jobs of orders: they import no framework."""
