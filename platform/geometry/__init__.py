"""Geometry kernels on NumPy arrays, in millimetres; no framework."""
