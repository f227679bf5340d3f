"""Printer agent: runs in a print shop, connects printers (OctoPrint) and Spoolman to the platform.

It dials out and needs nothing but Python: no Django, no package.
"""

VERSION = "1"
