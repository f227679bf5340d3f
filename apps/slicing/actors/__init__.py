"""Slicing in the background."""

from apps.slicing.actors.slices import abandon_slice, slice_model, start_waiting_slices

__all__ = ["abandon_slice", "slice_model", "start_waiting_slices"]
