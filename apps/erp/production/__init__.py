"""Production: pieces, runs, packing, slicing of runs, labels, traceability, recall."""
