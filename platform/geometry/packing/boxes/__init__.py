"""Packing of bounding boxes."""
