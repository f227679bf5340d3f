"""Model file formats: one reader and one writer each."""

WRITER_VERSION = 1  # of what is written: by another one it is written anew
