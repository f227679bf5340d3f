"""Presets of OrcaSlicer and Bambu Studio: reader, inheritance, translation to PrusaSlicer."""
