"""Validity of slicer keys."""

from apps.erp.base.models.access import is_member
from apps.erp.printing.models.slicer_uploads import SlicerKey


def is_valid_key(key: SlicerKey) -> bool:
    """Whether the creator of the key is still a member of its bureau."""
    return bool(key.creator.is_active) and is_member(key.creator, key.bureau)
