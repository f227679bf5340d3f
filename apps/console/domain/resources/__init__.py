"""Generic pages of resources: kinds, schemas, labels, values and forms."""
