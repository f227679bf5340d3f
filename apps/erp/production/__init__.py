"""Production: pieces, runs, packing, slicing of runs, print attempts, labels."""
