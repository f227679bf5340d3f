"""Validity of slicer keys."""

from apps.erp.base.models.access import is_member
from apps.erp.printing.models.slicer_uploads import SlicerKey


def works(key: SlicerKey) -> bool:
    """Whether whoever made the key still works in its bureau."""
    return bool(key.creator.is_active) and is_member(key.creator, key.bureau)
