"""Sandbox: child processes that read untrusted input, and their confinement."""
