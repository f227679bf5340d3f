"""Operators' pages of the users service."""

from apps.users.admin import accounts

__all__ = ["accounts"]
