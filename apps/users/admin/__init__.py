"""Operators' pages of the users service."""

from apps.users.admin import accounts, keys, limits, login, rights

__all__ = ["accounts", "keys", "limits", "login", "rights"]
