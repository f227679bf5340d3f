"""The program in a shop: it brings runs to machines, and tells the platform what these do.

It dials out and needs nothing but Python: no Django, no package.
"""

VERSION = "1"
