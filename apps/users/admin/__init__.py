"""Operators' pages of the users service."""

from apps.users.admin import accounts, keys, login, rights

__all__ = ["accounts", "keys", "login", "rights"]
