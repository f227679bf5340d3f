"""Readers of raw configs: a stranger's text in, settings that an engine may be given out."""
