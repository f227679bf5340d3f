"""Sender, message format, event types."""
