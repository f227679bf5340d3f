"""Core: what all services share (resources, state machine, queue, files, sandbox)."""

# Of the installation, as its documents tell it.
VERSION = "0.9.0"
