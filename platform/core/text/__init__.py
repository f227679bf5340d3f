"""Text: Unicode normalization and names of files."""
