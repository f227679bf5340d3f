"""What runs in the jail: files in, files and plain values out. No Django here."""
