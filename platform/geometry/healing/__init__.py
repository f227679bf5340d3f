"""Mesh healing (contract: model-healing): repairs a mesh and reports the changes."""

from geometry.healing.pipeline import heal

__all__ = ["heal"]
