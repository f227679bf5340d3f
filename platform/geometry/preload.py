"""Imports the compiled kernels before the first job.

Children of the workers import it before their walls go up: behind these there is no place where
numba could keep what it compiles.
"""

from geometry.formats.stl import ascii
from geometry.formats.threemf import element_rows as threemf_rows
from geometry.mesh import facet_kernels

__all__ = ["ascii", "facet_kernels", "threemf_rows"]
