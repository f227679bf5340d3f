"""Integrations: third-party processing services (providers) and operations on models."""
