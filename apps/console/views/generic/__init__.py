"""Pages of resources of any kind: lists, detail, forms, search."""
