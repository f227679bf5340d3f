"""model-healing: a broken STL made closed and outward, and an account of what that changed."""

from geometry.healing.pipeline import heal

__all__ = ["heal"]
