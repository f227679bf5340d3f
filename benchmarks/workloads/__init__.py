"""What is measured on: bodies made here or read from a folder, and their twins."""
