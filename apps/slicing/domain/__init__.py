"""Installed engines, slicing plans, constraints."""
