"""Numba JIT decorator: compiled at import, cached on disk."""

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(signature: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A loop over numbers and arrays, kept on disk; others may run meanwhile.

    signature : in words, or as types of numba's
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

    def compile_loop(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return njit(signature, cache=True, **options)(function)
        except RuntimeError:  # nothing can be written: each process compiles for itself
            return njit(signature, **options)(function)

    return compile_loop
