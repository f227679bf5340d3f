"""Automatic production: planning of runs and starting of prints without a person."""
