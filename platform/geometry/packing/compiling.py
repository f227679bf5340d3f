"""How the packer's loops are compiled: as they are imported, once for each machine."""

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(signature: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A loop over numbers and arrays, kept on disk; others may run meanwhile.

    signature : in words, or as types of numba's
    """
    options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
    return njit(signature, **options)
