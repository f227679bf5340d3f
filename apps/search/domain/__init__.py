"""Describing, indexing and comparing shapes."""
