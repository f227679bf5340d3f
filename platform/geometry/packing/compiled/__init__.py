"""Compiled loops of packing (numba), over plain arrays."""
