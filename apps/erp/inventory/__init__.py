"""Inventory: material lots, stock movements, reservations."""
