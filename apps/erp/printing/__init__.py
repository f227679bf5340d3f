"""Printing: printers, printer agents, print attempts, dispatching, Spoolman."""
