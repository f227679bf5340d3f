"""Descriptors, index lookup and comparison."""
