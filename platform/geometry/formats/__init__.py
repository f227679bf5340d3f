"""Model files of every format: one reader and one writer for each."""
