"""Model files of every format: one reader and one writer for each."""

WRITER_VERSION = 1  # of what is written: by another one it is written anew
