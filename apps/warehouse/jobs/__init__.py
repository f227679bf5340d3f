"""What runs in the jails: files in, files and plain values out. No Django here."""
