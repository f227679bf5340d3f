"""The shared kernel."""

# Of the installation, as its documents tell it.
VERSION = "0.9.0"
