"""Searches that improve a packing within a budget."""
