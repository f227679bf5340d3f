"""Traceability: the provenance of resources, and recall of the pieces affected by a cause."""
