"""Printer agent: runs in a print shop, connects printers (OctoPrint) and Spoolman to the platform.

It dials out and needs Python and zeroconf (mDNS): no Django.
"""

VERSION = "2"
