"""Printers: farm, connections, catalogue."""
