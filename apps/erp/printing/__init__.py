"""Printing: printers, printer agents, dispatching, Spoolman."""
